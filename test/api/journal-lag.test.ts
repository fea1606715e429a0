// What clients see when the library is behind the index.
import { sql } from 'kysely';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { durableTables } from '../../src/store/durable.ts';
import { journalStore } from '../../src/store/journal-store.ts';
import { answerOf, type Client, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { addNotes } from '../support/journal-notes.ts';

/** In place of 500,000: writing so many rows takes seconds. */
const maxPendingForImports = 1_000;
const large = ' '.repeat(65 * 1024);
const opml = (padding = '') =>
  `<opml version="2.0">${padding}<body><outline type="rss" xmlUrl="https://example.org/feed"/></body></opml>`;
const light = (padding = '') =>
  `{"source": "light", ${padding} "highlights": {"https://example.org/": [{"groupID": 1, "repr": "text"}]}}`;
const clippings = (padding = '') =>
  `Walden (Thoreau)\n- Your Highlight on page 12 | Location 170-172 | Added on Monday, March 3, 2025 8:01:02 PM\n\nSimplify.${padding}\n==========\n`;

onEachEngine('a library that is far behind the index', (engine) => {
  let api: TestApi;
  let owner: Client;

  beforeEach(async () => {
    const { store, database } = await openEmptyStore(engine);
    const journal = journalStore(database, durableTables, { maxPendingForImports });
    api = await openEmptyApi(engine, { store: { ...store, journal } });
    await api.addUser('owner');
    owner = await api.program('owner', 'admin');
    await addNotes(database, maxPendingForImports + 1);
  });

  const imports: [string, string, (padding?: string) => string][] = [
    ['/api/light/sync', 'application/json', light],
    ['/api/highlights/import?kind=kindle', 'text/plain', clippings],
    ['/api/opml', 'text/x-opml', opml],
    ['/v1/import', 'text/xml', opml],
  ];

  it('refuses large imports with 503, a sentence and Retry-After, and accepts small ones', async () => {
    for (const [path, type, body] of imports) {
      const send = (text: string) =>
        owner.send('POST', path, { body: text, headers: { 'Content-Type': type } });
      const refused = await send(body(large));
      expect([path, refused.status, refused.headers.get('Retry-After')]).toEqual([path, 503, '60']);
      expect(await refused.text()).toContain('accepts no large imports until it has caught up');
      expect([path, (await send(body())).status]).toEqual([path, path === '/v1/import' ? 201 : 200]);
    }
  });

  it('refuses to read the database of Research, and takes other writes', async () => {
    expect(await answerOf(await owner.post('/api/research/sync', {}))).toMatchObject({ status: 503 });
    expect(await answerOf(await owner.post('/api/groups', { name: 'News' }))).toMatchObject({ status: 200 });
  });

  it('is shown at /readyz as degraded after a minute, and at /metrics', async () => {
    const { database } = api.opened;
    const { rows } = await sql<{ at: number }>`SELECT min(noted_at) AS at FROM journal_dirty`.execute(
      database.read,
    );
    const notedAt = Number(rows[0]?.at);
    onTestFinished(() => {
      delete database.timeOffsetMs;
    });
    for (const [seconds, status] of [
      [31, 'ready'],
      [91, 'degraded'],
    ] as const) {
      // However long the test has taken so far.
      database.timeOffsetMs = () => notedAt + seconds * 1000 - Date.now();
      const ready = await answerOf(await api.visitor().get('/readyz'));
      expect(ready).toMatchObject({ status: 200, body: { status, journal: { pending: 1_000 } } });
      const { journal } = ready.body as { journal: { lag_seconds: number } };
      expect(Math.floor(journal.lag_seconds / 30)).toBe(Math.floor(seconds / 30));
    }
    const metrics = await (await owner.get('/metrics')).text();
    expect(metrics).toMatch(/^lectern_journal_pending 10\d\d$/m);
    expect(metrics).toMatch(/^lectern_journal_lag_seconds (9\d|1[01]\d)(\.\d+)?$/m);
    expect(metrics).toContain('# TYPE lectern_journal_last_flush_timestamp_seconds gauge');
  });
});
