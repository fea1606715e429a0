// Every kind of job that the worker can do, put together from the features.
import { Conflict, Later } from '../errors.ts';
import { fetchFullText } from '../feeds/full-text/fetch-full-text.ts';
import { fetchIcon } from '../feeds/icons/fetch-icon.ts';
import { iconKind } from '../feeds/icons/icon-jobs.ts';
import { type PullDeps, pullFeed } from '../feeds/pull-feed.ts';
import { pullKind } from '../feeds/pull-jobs.ts';
import { checkLink, checkLinkKind } from '../items/check-link.ts';
import { enrichItem } from '../items/enrich-item.ts';
import { enrichKind } from '../items/enrich-kind.ts';
import { coverKind, fetchCover } from '../items/fetch-cover.ts';
import { createPageProcess } from '../items/page/page-process.ts';
import { purgeItem, purgeKind } from '../items/purge-item.ts';
import { createScreenshots } from '../items/screenshot/take-screenshot.ts';
import { defineJob, type JobDefinition } from '../jobs/registry.ts';
import { checkLibraryKind, runLibraryCheck } from '../library/check-job.ts';
import { checkLibraryManifests } from '../mirror/node/check-manifests.ts';
import { mirrorKind, runMirrorBatch } from '../mirror/node/mirror.ts';
import { createHostTurns } from '../outbound/host-turns.ts';
import { Parser } from '../parsing/parser.ts';
import { fullTextKind } from '../store/reader/full-text-jobs.ts';
import { handHighlights } from './mirror.ts';
import { type Runtime, type Serving, userAgent } from './runtime.ts';

const untilFreeMs = 60_000;

export function jobDefinitions(
  runtime: Runtime,
  { config, log, store, library, outbound, pullsInHand, pullTally }: Serving,
): readonly JobDefinition[] {
  const parser = new Parser();
  const deps: PullDeps = {
    pulls: store.pulls,
    outbound,
    turns: createHostTurns(runtime.now),
    parse: (document) => parser.parse('feed', document),
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
    handler: (context) =>
      runLibraryCheck(
        {
          ...{ files: library.files, store, now: runtime.now },
          checkOthers: () => checkLibraryManifests({ files: library.files, store }, { readData: false }),
        },
        context,
      ),
  });
  const purge = defineJob({
    ...purgeKind,
    handler: ({ payload, ...context }) =>
      purgeItem({ itemPurge: store.itemPurge, library }, payload, context),
  });
  const reading = {
    outbound,
    now: runtime.now,
    turns: createHostTurns(runtime.now),
    page: createPageProcess(),
  };
  const { browser } = config.enrich;
  const screenshots =
    browser === undefined
      ? undefined
      : createScreenshots({ browser, outbound, isRoot: process.getuid?.() === 0 });
  const enrich = defineJob({
    ...enrichKind,
    handler: ({ payload, ...context }) =>
      enrichItem({ ...reading, enrichments: store.enrichments, library, screenshots, log }, payload, context),
    close: () => reading.page.close(),
  });
  const findFullText = defineJob({
    ...fullTextKind,
    handler: ({ payload, ...context }) =>
      fetchFullText({ ...reading, fullTexts: store.fullTexts }, payload, context),
  });
  const oneAtATime = createHostTurns(runtime.now, 1);
  const lookForPage = defineJob({
    ...checkLinkKind,
    handler: ({ payload, ...context }) =>
      checkLink({ links: store.links, outbound, turns: oneAtATime, now: runtime.now }, payload, context),
  });
  const findCover = defineJob({
    ...coverKind,
    handler: ({ payload, ...context }) =>
      fetchCover(
        { covers: store.covers, library, outbound, page: reading.page, log, now: runtime.now },
        payload,
        context,
      ),
  });
  const mirror = defineJob({
    ...mirrorKind,
    handler: async ({ payload, signal }) => {
      const batch = runMirrorBatch(
        {
          ...{ store, library, outbound, log, now: runtime.now, random: runtime.random },
          raindrop: config.raindrop,
          onStored: (userId) => handHighlights(store, userId),
        },
        payload,
        { holder: runtime.randomText(12), signal },
      );
      await batch.catch((error) => {
        // Somebody runs it by hand; what is left after that is due again.
        throw error instanceof Conflict ? new Later(untilFreeMs) : error;
      });
    },
  });
  return [
    ...[pull, findIcon, enrich, findFullText, purge, lookForPage, checkLibrary],
    ...[findCover, mirror],
  ] as JobDefinition[];
}
