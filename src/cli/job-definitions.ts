// Every kind of job that the worker can do, put together from the features.
import { createHostTurns } from '../feeds/host-turns.ts';
import { ParseThread } from '../feeds/parse-thread-client.ts';
import { type PullDeps, pullFeed } from '../feeds/pull-feed.ts';
import { pullKind } from '../feeds/pull-jobs.ts';
import { defineJob, type JobDefinition } from '../jobs/registry.ts';
import { type Opened, type Runtime, userAgent } from './runtime.ts';

export function jobDefinitions(
  runtime: Runtime,
  { config, store, outbound, pullsInHand }: Opened,
): readonly JobDefinition[] {
  const parsing = new ParseThread();
  const deps: PullDeps = {
    pulls: store.pulls,
    outbound,
    turns: createHostTurns(runtime.now),
    parse: (document) => parsing.parse(document),
    settings: config.pull,
    now: runtime.now,
    userAgent: (subscribers) => userAgent(runtime.version, config.publicUrl, subscribers),
  };
  const pull = defineJob({
    ...pullKind,
    handler: async ({ payload, fence, signal }) => {
      pullsInHand.add(fence);
      try {
        await pullFeed(deps, payload, { fence, signal });
      } finally {
        pullsInHand.delete(fence);
      }
    },
  });
  return [pull as JobDefinition];
}
