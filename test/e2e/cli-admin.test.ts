// `lectern admin`. The test plays the worker, through the store that a worker uses.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { databaseUrl, type LecternEnv, useLectern } from '../support/lectern-process.ts';
import { until } from '../support/until.ts';

const url = 'https://news.example.co.uk/feed.xml';
const other = 'https://example.org/rss?section=world&page=1';
const uuid = /[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/;

onEachEngine('lectern admin', (engine) => {
  const lectern = useLectern(afterAll);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  let env: LecternEnv;
  let store: Store;
  let clock: TestClock;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    // Ahead of the clock of the commands: what is added here comes after what they have added.
    clock = new TestClock(Date.now() + 3_600_000);
    const opened = await openFreshStore(engine, clock);
    store = opened.store;
    env = {
      LECTERN_DATABASE_URL: databaseUrl(opened.target),
      LECTERN_LIBRARY_URL: `file:${join(folder, 'library')}`,
    };
    return async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    };
  });

  const run = (args: readonly string[], stdin = '') => lectern.run(['admin', ...args], { env, stdin });
  const feed = (...args: string[]) => run(['feed', ...args]);
  const done = async (args: string[], stdin?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(args, stdin);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const idOf = (name: string) => ids[name] ?? '';

  it('says what to do while there is no feed', async () => {
    const [list, json, deleted, domains, domainsJson] = await Promise.all([
      done(['feed', 'list']),
      done(['feed', 'list', '--json']),
      done(['feed', 'list', '--deleted']),
      done(['root-domain', 'list']),
      done(['root-domain', 'list', '--json']),
    ]);
    expect(list).toBe('There is no feed yet. Add one with: lectern admin feed add URL\n');
    expect(json).toBe('[]\n');
    expect(deleted).toBe('No feed was deleted.\n');
    expect(domains).toContain('lectern admin root-domain set FEED DOMAIN');
    expect(domainsJson).toBe('[]\n');
  });

  it('adds a feed once, in one spelling, and says what comes next', async () => {
    const added = await done(['feed', 'add', `${url.replace('news', 'NEWS')}#top`]);
    expect(added).toMatch(
      new RegExp(`^Added ${url}\nas ${uuid.source}\\.\nEnable it: lectern admin feed enable ${url}\n$`),
    );
    ids.first = uuid.exec(added)?.[0] ?? '';
    const second = await done(['feed', 'add', other, '--no-root-domain', '--no-enforce-domain']);
    // An ampersand in a shell would be the end of the command.
    expect(second).toContain(`Enable it: lectern admin feed enable '${other}'\n`);
    ids.second = uuid.exec(second)?.[0] ?? '';

    expect(await store.deframerFeeds.find(url)).toMatchObject({
      id: idOf('first'),
      rootDomain: 'example.co.uk',
      enforceFeedDomain: true,
      enabled: false,
      polling: false,
    });
    expect(await store.deframerFeeds.find(other)).toMatchObject({
      rootDomain: null,
      enforceFeedDomain: false,
    });
    expect(await feed('add', url)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `the feed is there already: ${url}\n`,
    });
  });

  it('enables by address, by id and by the beginning of an id, in any case', async () => {
    const byUrl = await done(['feed', 'enable', `${url}#anywhere`]);
    expect(byUrl).toBe(
      `Enabled ${url}. This does not schedule a run.\nRun it: lectern admin feed sync ${url}\n`,
    );
    expect(await store.deframerFeeds.get(idOf('first'))).toMatchObject({ enabled: true, nextRunAt: null });
    expect(await done(['feed', 'disable', idOf('first').toUpperCase()])).toBe(
      `Disabled ${url}. It is not served, and no worker takes it.\n`,
    );
    expect(await store.deframerFeeds.get(idOf('first'))).toMatchObject({ enabled: false });
    await done(['feed', 'enable', idOf('first').slice(0, 8)]);
    expect(await store.deframerFeeds.get(idOf('first'))).toMatchObject({ enabled: true });
  });

  it('switches the check of the host, and understands nothing else', async () => {
    const enforces = async () => (await store.deframerFeeds.get(idOf('first'))).enforceFeedDomain;
    expect(await done(['feed', 'enforce-domain', url, 'false'])).toContain('are kept');
    expect(await enforces()).toBe(false);
    expect(await done(['feed', 'enforce-domain', url, 'true'])).toContain('are left out');
    expect(await enforces()).toBe(true);
    expect(await feed('enforce-domain', url, 'maybe')).toMatchObject({ code: 2 });
  });

  it('sets polling to true or false, and understands nothing else', async () => {
    expect(await done(['feed', 'polling', url, 'true'])).toContain(`Begin: lectern admin feed sync ${url}\n`);
    expect(await store.deframerFeeds.get(idOf('first'))).toMatchObject({ polling: true, nextRunAt: null });
    expect(await done(['feed', 'polling', url, 'false'])).toContain('is run once each time');
    expect(await store.deframerFeeds.get(idOf('first'))).toMatchObject({ polling: false });
    expect(await feed('polling', url, 'maybe')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are true, false'),
    });
  });

  it('sets, clears and lists root domains', async () => {
    expect(await done(['root-domain', 'set', other, 'BÜCHER.example'])).toBe(
      `The root domain of ${other} is xn--bcher-kva.example.\n`,
    );
    expect(await done(['root-domain', 'list'])).toBe('ROOT_DOMAIN\nexample.co.uk\nxn--bcher-kva.example\n');
    expect(JSON.parse(await done(['root-domain', 'list', '--json']))).toEqual([
      'example.co.uk',
      'xn--bcher-kva.example',
    ]);
    expect(await done(['root-domain', 'clear', idOf('second').slice(0, 6)])).toBe(
      `${other} has no root domain any more.\n`,
    );
    expect(await store.deframerFeeds.get(idOf('second'))).toMatchObject({ rootDomain: null });
  });

  it('shows, sets and clears the prompt of a feed', async () => {
    const file = join(folder, 'prompt.txt');
    writeFileSync(file, 'Weigh it.\r\nBe brief.\u001b[31m\n');
    expect(await done(['feed', 'prompt', url])).toBe(
      `${url} has no prompt of its own: the one for its language is used.\n`,
    );
    expect(await done(['feed', 'prompt', url, '--file', file])).toBe(`${url} has a prompt of its own.\n`);
    expect(await store.deframerFeeds.find(url)).toMatchObject({
      prompt: 'Weigh it.\r\nBe brief.\u001b[31m\n',
    });
    expect(await done(['feed', 'prompt', url])).toBe('Weigh it.\nBe brief.\ufffd[31m\n');
    await done(['feed', 'prompt', url, '--file', '-'], 'Piped in.');
    expect(await store.deframerFeeds.find(url)).toMatchObject({ prompt: 'Piped in.' });
    expect(await done(['feed', 'prompt', url, '--clear'])).toBe(`${url} has the usual prompt.\n`);
    expect(await store.deframerFeeds.find(url)).toMatchObject({ prompt: null });
  });

  it('makes a feed due', async () => {
    expect(await feed('sync', other)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `the feed is disabled: enable it first, with: lectern admin feed enable '${other}'\n`,
    });
    expect(await done(['feed', 'sync', url])).toBe(
      `${url} is due now: a running worker takes it.\nSee what came of it: lectern admin feed list\n`,
    );
    expect((await store.deframerFeeds.get(idOf('first'))).nextRunAt).not.toBeNull();
  });

  it('waits for a run, and says how it ended', async () => {
    const acquire = () => store.deframeRuns.acquire({ ttlMs: 60_000 });
    const lease = await acquire();
    // It takes the feed away from a run that is under way.
    const good = feed('sync', url, '--wait');
    const first = await until('the feed is due again', acquire);
    expect(first.epoch).toBeGreaterThan(lease?.epoch ?? Number.POSITIVE_INFINITY);
    await store.deframeRuns.finish(first, { note: 'An article had no text.', intervalMs: 60_000 });
    expect(await good).toMatchObject({
      code: 0,
      stdout: `${url} was run. 0 articles are kept.\nAn article had no text.\n`,
    });

    await store.deframerFeeds.change(url, { polling: true });
    const polled = feed('sync', url, '--timeout', '60');
    const again = await until('the feed is due anew', acquire);
    // At another time than the run before.
    clock.advance(1_000);
    await store.deframeRuns.finish(again, { intervalMs: 60_000 });
    expect(await polled).toMatchObject({ code: 0 });
    expect((await store.deframerFeeds.get(idOf('first'))).nextRunAt).not.toBeNull();

    const bad = feed('sync', url, '--wait', '--timeout', '60');
    const second = await until('the feed is due once more', acquire);
    await store.deframeRuns.finish(second, {
      error: 'The server answered 404 Not Found.\u001b]0;owned\u0007',
      intervalMs: 60_000,
    });
    expect(await bad).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'The run failed: The server answered 404 Not Found.\ufffd]0;owned\ufffd\n',
    });

    const late = await feed('sync', url, '--timeout', '1');
    expect(late).toMatchObject({ code: 1, stdout: '' });
    expect(late.stderr).toMatch(/^No worker has taken the feed within 1 s\./);
    const given = await until('it stays due', acquire);
    await store.deframeRuns.finish(given, {
      error: `The server answered ${'very slowly '.repeat(20)}\u001b[31m`,
      intervalMs: 60_000,
    });
  });

  it('can be interrupted while it waits', async () => {
    const waiting = lectern.begin(['admin', 'feed', 'sync', url, '--wait'], { env });
    const lease = await until('the feed is due', () => store.deframeRuns.acquire({ ttlMs: 60_000 }));
    waiting.signal('SIGINT');
    expect(await waiting.ended).toEqual({ code: 130, signal: null });
    expect(waiting.output).toMatchObject({ stdout: '', stderr: '' });
    await store.deframeRuns.finish(lease, {
      error: `Refused. ${'x'.repeat(200)}\u001b[31m`,
      intervalMs: 60_000,
    });
  });

  it('lists feeds within 80 characters, without a word to the terminal', async () => {
    await store.deframerFeeds.add({
      id: '0123abcd-0000-4000-8000-000000000000',
      url: `https://example.net/\u001b[31m${'long/'.repeat(60)}`,
      rootDomain: `${'a-domain-that-goes-on.'.repeat(6)}example`,
      enforceFeedDomain: true,
    });
    await store.deframerFeeds.add({
      id: '0123abcd-1111-4000-8000-000000000000',
      url: 'https://example.net/twin',
      rootDomain: null,
      enforceFeedDomain: true,
    });
    const listed = await done(['feed', 'list']);
    const lines = listed.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +ENABLED +POLLING +NEXT_RUN_AT +ROOT_DOMAIN$/);
    expect(lines[1]).toMatch(
      new RegExp(`^${idOf('first').slice(0, 8)} +yes +yes +never +example\\.co\\.uk$`),
    );
    expect(lines[2]).toBe(`  ${url}`);
    expect(lines[3]).toMatch(/^ {2}last_error: Refused\.$/);
    expect(Math.max(...lines.map((line) => line.length))).toBe(80);
    expect(listed).not.toMatch(/[^\P{Cc}\n]/u);
    expect((await done(['root-domain', 'list'])).split('\n').every((line) => line.length <= 80)).toBe(true);

    const json = JSON.parse(await done(['feed', 'list', '--json']));
    expect(json).toHaveLength(4);
    expect(json[0]).toStrictEqual({
      id: idOf('first'),
      url,
      enabled: true,
      polling: true,
      root_domain: 'example.co.uk',
      next_run_at: null,
      last_error: `Refused. ${'x'.repeat(200)}\u001b[31m`,
    });
    await store.deframerFeeds.sync(url);
    const [first] = JSON.parse(await done(['feed', 'list', '--json']));
    expect(first).toMatchObject({ last_error: null });
    expect(new Date(first.next_run_at).toISOString()).toBe(first.next_run_at);
  });

  it('deletes a feed, which then is listed elsewhere and can be added again', async () => {
    const gone = await done(['feed', 'delete', url]);
    expect(gone).toBe(`Deleted ${url}.\nWhat was found out is kept, and not served any more.\n`);
    const deleted = JSON.parse(await done(['feed', 'list', '--deleted', '--json']));
    expect(deleted).toMatchObject([{ id: idOf('first'), url }]);
    expect(await done(['feed', 'list'])).not.toContain(url);
    const after = await Promise.all([
      feed('delete', url),
      feed('sync', url),
      feed('enable', idOf('first').slice(0, 8)),
      run(['root-domain', 'clear', idOf('first')]),
    ]);
    for (const ended of after)
      expect(ended).toMatchObject({ code: 1, stderr: 'the feed is deleted: add it again\n' });
    expect(await done(['feed', 'add', url])).toContain(`Added ${url}\n`);
  });

  const wrong: [string, string[], number, RegExp][] = [
    [
      'an address that is none',
      ['feed', 'add', 'example.org'],
      1,
      /^url: expected the http\(s\) address of a feed, such as https/,
    ],
    [
      'an address of another kind',
      ['feed', 'add', 'file:///etc/passwd'],
      1,
      /^url: expected the http\(s\) address/,
    ],
    [
      'an unknown address',
      ['feed', 'enable', 'https://example.org/x'],
      1,
      /^feed https:\/\/example\.org\/x not found\n$/,
    ],
    [
      'an unknown id',
      ['feed', 'delete', '00000000-0000-4000-8000-000000000000'],
      1,
      /^feed 00000000-.* not found\n$/,
    ],
    ['an unknown beginning', ['feed', 'sync', 'ffffff'], 1, /^feed ffffff not found\n$/],
    [
      'a beginning that two have',
      ['feed', 'enable', '0123ABCD'],
      1,
      /^the ids of 2 feeds begin with 0123abcd: give more/,
    ],
    [
      'a beginning that is short',
      ['feed', 'enable', '0123a'],
      1,
      /^expected a feed: its http\(s\) address, its id, or 6/,
    ],
    ['what speaks to the terminal', ['feed', 'enable', '\u001b[31m'], 1, /got "\ufffd\[31m"\n$/],
    [
      'a time that is none',
      ['feed', 'sync', other, '--timeout', 'soon'],
      1,
      /^--timeout: expected a whole number of seconds/,
    ],
    [
      'a prompt that is nowhere',
      ['feed', 'prompt', other, '--file', '/nowhere'],
      1,
      /^\/nowhere cannot be read: there is no such file\n$/,
    ],
    ['an empty prompt', ['feed', 'prompt', other, '--file', '-'], 1, /^the prompt is empty/],
    [
      'a prompt that is set and cleared',
      ['feed', 'prompt', other, '--file', '-', '--clear'],
      2,
      /cannot be used with option/,
    ],
    [
      'a domain with a scheme',
      ['root-domain', 'set', other, 'https://example.org'],
      1,
      /^expected a domain such as example\.org, without https:\/\//,
    ],
    ['a domain with a port', ['root-domain', 'set', other, 'example.org:80'], 1, /^expected a domain/],
    ['no feed at all', ['feed', 'enable'], 2, /missing required argument 'feed'/],
    ['a command that is none', ['feed', 'explode'], 2, /unknown command 'explode'/],
  ];
  it.each(wrong)('says in one line what is wrong with %s', async (_what, args, code, words) => {
    const ended = await run(args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(words);
    if (code === 1) expect(ended.stderr.split('\n')).toHaveLength(2);
  });
});
