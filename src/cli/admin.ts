// `lectern admin`: the deframer, whose feeds belong to the operator and not to a user.
import { Command } from 'commander';
import { adminFeedCommand } from './admin-feed.ts';
import { adminRootDomainCommand } from './admin-root-domain.ts';
import type { Runtime } from './runtime.ts';

export function adminCommand(runtime: Runtime): Command {
  return new Command('admin')
    .description('The deframer: feeds whose headlines are weighed and set anew, and served at /rss?url=...')
    .addCommand(adminFeedCommand(runtime))
    .addCommand(adminRootDomainCommand(runtime));
}
