// Saved pages and the worker that looks at them, one job after the other, with a reader of pages that is simple enough to
// foretell what it finds.
import { type EnrichDeps, enrichItem } from '../../src/items/enrich-item.ts';
import { enrichKind } from '../../src/items/enrich-kind.ts';
import type { PageProcess } from '../../src/items/page/page-process.ts';
import type { PageCopy } from '../../src/items/page/read-page.ts';
import { enrichAgain, saveItem } from '../../src/items/save-item.ts';
import { defineJob, type JobDefinition } from '../../src/jobs/registry.ts';
import { Run } from '../../src/jobs/run.ts';
import { checkLibrary, type Problem } from '../../src/library/check.ts';
import type { Files } from '../../src/library/files/files.ts';
import { createLog, type Log } from '../../src/log.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import type { Database } from '../../src/store/database.ts';
import { type DurableTable, durableTables } from '../../src/store/durable.ts';
import type { ClaimedJob } from '../../src/store/job-queue/claim.ts';
import type { Outcome } from '../../src/store/job-queue/settle.ts';
import { rowsOf } from '../../src/store/owned/owned-rows.ts';
import type { Store } from '../../src/store/store.ts';
import type { Row } from '../../src/store/tables.ts';
import { type TestClock, tieClocks } from './clock.ts';
import { folderFiles, temporaryFolder } from './library.ts';
import type { World } from './outbound.ts';

export const quiet: Log = createLog({ level: 'silent', format: 'json', out: process.stderr });

/** Lines of a log, as objects. */
export function listeningLog(): { log: Log; lines: () => Record<string, unknown>[] } {
  const written: string[] = [];
  const out = { write: (line: string) => written.push(line) > 0 } as unknown as NodeJS.WritableStream;
  return {
    log: createLog({ level: 'debug', format: 'json', out }),
    lines: () => written.map((line) => JSON.parse(line)),
  };
}

const meta = (html: string, name: string) =>
  new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(html)?.[1];

/** What it reads is what tests write: tags in one spelling. */
export const simpleReader: Pick<PageProcess, 'read' | 'thumbnail'> = {
  async read({ bytes, url }): Promise<PageCopy> {
    const source = Buffer.from(bytes).toString();
    const body = source.replace(/^.*<body>/s, '');
    const text = body.replace(/<[^>]+>/g, '').trim();
    const image = meta(source, 'og:image');
    return {
      facts: {
        title: meta(source, 'og:title') ?? /<title>([^<]*)/.exec(source)?.[1] ?? '',
        excerpt: meta(source, 'description') ?? '',
        author: meta(source, 'author') ?? '',
        siteName: '',
        language: 'en',
        publishedAt: null,
        canonicalUrl: url,
        imageUrls: image === undefined ? [] : image.split(' ').map((one) => new URL(one, url).href),
        iconUrls: [],
      },
      html: body.trim(),
      text,
      wordCount: text === '' ? 0 : text.split(/\s+/).length,
    };
  },
  async thumbnail(bytes) {
    const text = Buffer.from(bytes).toString('latin1');
    return text.startsWith('an image') ? Buffer.from(`a thumbnail of ${text}`) : undefined;
  },
};

export interface PageOptions {
  readonly title?: string;
  readonly image?: string;
  readonly description?: string;
  readonly body?: string;
}

export function pageOf({ title, image, description, body = '<p>Some words.</p>' }: PageOptions): string {
  const named = [
    ...(title === undefined ? [] : [`<meta property="og:title" content="${title}">`]),
    ...(image === undefined ? [] : [`<meta property="og:image" content="${image}">`]),
    ...(description === undefined ? [] : [`<meta name="description" content="${description}">`]),
  ];
  return `<!doctype html><html><head>${named.join('')}</head><body>${body}`;
}

export type Enriching = Awaited<ReturnType<typeof createEnriching>>;

export async function createEnriching(
  { store, database, clock }: { store: Store; database: Database; clock: TestClock },
  world: World,
  over: Partial<EnrichDeps> & { files?: Files } = {},
) {
  const files = over.files ?? (await folderFiles(await temporaryFolder(), clock));
  const deps: EnrichDeps = {
    enrichments: store.enrichments,
    outbound: world.outbound,
    turns: createHostTurns(clock.now),
    now: clock.now,
    library: { files, requireWriter: async () => {} },
    page: simpleReader,
    log: quiet,
    ...over,
  };
  // The clock of the database goes with ours, so that what is put off comes when we say so.
  tieClocks(database, clock);

  const definition = defineJob({
    ...enrichKind,
    handler: ({ payload, ...context }) => enrichItem(deps, payload, context),
  }) as JobDefinition;

  const claim = async (): Promise<ClaimedJob | undefined> => {
    const [job] = await store.jobs.settleAndClaim([], {
      holder: 'test',
      leaseMs: 600_000,
      names: [enrichKind.name],
      total: 1,
      background: 1,
      low: 1,
      first: 'interactive',
      suspect: true,
    });
    return job;
  };

  /** One attempt, as a worker makes it; one that has ended by then does not say how it went. */
  const attempt = async (
    job: ClaimedJob,
    hasEnded = () => false,
  ): Promise<{ outcome: Outcome | undefined; error: unknown }> => {
    let error: unknown;
    const run = new Run(job, definition);
    const outcome = await run.do(
      () => 1,
      (thrown) => {
        error = thrown;
      },
    );
    if (outcome && !hasEnded()) await store.jobs.settleAndClaim([{ fence: run.fence, outcome }]);
    return { outcome, error };
  };

  const item = (userId: number, itemId: number): Promise<Row<'items'>> =>
    rowsOf(database.read, userId)
      .select('items')
      .selectAll()
      .where('id', '=', itemId)
      .executeTakeFirstOrThrow();

  return {
    deps,
    files,
    definition,
    claim,
    attempt,
    item,

    async save(userId: number, url: string, title = ''): Promise<number> {
      return (await saveItem(store.forUser(userId), { url, title })).item.id;
    },

    /** Changes columns of the row. */
    async set(userId: number, itemId: number, changes: Partial<Row<'items'>>): Promise<void> {
      await database.write((trx) =>
        rowsOf(trx, userId).update('items').set(changes).where('id', '=', itemId).execute(),
      );
    },

    async enrichAgain(userId: number, itemId: number): Promise<void> {
      await enrichAgain(store.forUser(userId), itemId);
    },

    /** Until nothing is ready. How each attempt ended, in order. */
    async work(): Promise<string[]> {
      const ends: string[] = [];
      for (;;) {
        const job = await claim();
        if (!job) return ends;
        ends.push((await attempt(job)).outcome?.kind ?? 'lost');
      }
    },

    /** A worker has ended, and its lease is over. */
    async recover(): Promise<void> {
      await store.jobs.releaseHolder('test');
      await store.jobs.keep([], { leaseMs: 600_000, maxCrashes: 3, suspectDelayMs: 0 });
    },

    /** What the check of the library says of the files of items. */
    async check(): Promise<{ problems: readonly Problem[]; orphans: readonly string[] }> {
      const table = durableTables.find((one) => one.name === 'items');
      if (!table) throw new Error('items are not durable');
      const rows = (of: DurableTable) => store.durableRows(of);
      return checkLibrary(files, rows, { readData: true, lastSet: null }, [table]);
    },

    async keys(): Promise<string[]> {
      return (await Array.fromAsync(files.listAll(''))).map(({ key }) => key);
    },

    async text(key: string): Promise<string | undefined> {
      const bytes = await files.read(key);
      return bytes && Buffer.from(bytes).toString();
    },
  };
}
