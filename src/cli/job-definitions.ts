// Every kind of job that the worker can do, put together from the features.
import { createHostTurns } from '../feeds/host-turns.ts';
import { fetchIcon } from '../feeds/icons/fetch-icon.ts';
import { iconKind } from '../feeds/icons/icon-jobs.ts';
import { ParseThread } from '../feeds/parse-thread-client.ts';
import { type PullDeps, pullFeed } from '../feeds/pull-feed.ts';
import { pullKind } from '../feeds/pull-jobs.ts';
import { defineJob, type JobDefinition } from '../jobs/registry.ts';
import { checkLibraryKind, runLibraryCheck } from '../library/check-job.ts';
import { type Opened, type Runtime, userAgent } from './runtime.ts';

export function jobDefinitions(
  runtime: Runtime,
  { config, store, library, outbound, pullsInHand, pullTally }: Opened,
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
        const outcome = await pullFeed(deps, payload, { fence, signal });
        if (outcome) pullTally.count(outcome);
      } finally {
        pullsInHand.delete(fence);
      }
    },
  });
  const findIcon = defineJob({
    ...iconKind,
    handler: ({ payload, ...context }) =>
      fetchIcon({ icons: store.icons, outbound, now: runtime.now }, payload, context),
  });
  const checkLibrary = defineJob({
    ...checkLibraryKind,
    handler: (context) => runLibraryCheck({ files: library.files, store, now: runtime.now }, context),
  });
  return [pull, findIcon, checkLibrary] as JobDefinition[];
}
