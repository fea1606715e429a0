// `lectern search`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, useLectern } from '../support/lectern-process.ts';

const feeds = ['Heron Weekly', 'Heron and Egret', `Long ${'name '.repeat(30)}heron`];
const opml = `<opml><body>${feeds
  .map((name, n) => `<outline text="${name}" xmlUrl="http://127.0.0.1:1/${n}.xml"/>`)
  .join('')}</body></opml>`;

onEachEngine('search on the command line', (engine) => {
  const lectern = useLectern(afterAll);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  let env: Record<string, string>;

  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    env = { LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget()) };
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: 'a quiet place to read' });
    const file = join(folder, 'feeds.opml');
    writeFileSync(file, opml);
    await run('import', 'opml', file);
  });

  const run = (...args: string[]) => lectern.run(args, { env });

  it('makes the index, finds by words and filters, and prints what fits a terminal', async () => {
    const rebuilt = await run('search', 'rebuild');
    expect(rebuilt).toMatchObject({ code: 0, stdout: expect.stringContaining('can be found: 3.') });

    const found = await run('search', 'heron', '-egret', 'kind:feed');
    expect(found.code).toBe(0);
    expect(found.stdout).toContain('Heron Weekly');
    expect(found.stdout).not.toContain('Egret');
    for (const line of found.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(found.stderr).toContain('Search by meaning is off');

    const asJson = await run('search', '"heron and"', '--mode', 'text', '--json', '--limit', '1');
    expect(asJson.stderr).toBe('');
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      found: 1,
      mode: 'text',
      data: [{ kind: 'feed', title: 'Heron and Egret' }],
    });
    expect((await run('search', 'herron', '--mode', 'text')).stdout).toBe(
      'Nothing was found. Did you mean: heron\n',
    );
  });

  it('says what it expected', async () => {
    const bad = await run('search', 'is:red');
    expect(bad.code).not.toBe(0);
    expect(bad.stderr).toContain('is: expected unread, bookmarked, archived or highlighted');
    expect((await run('search', 'heron', '--user', 'nobody')).stderr).toContain('nobody');
    expect((await run('search', 'heron', '--limit', '0')).stderr).toContain(
      'expected a number from 1 to 100',
    );
  });
});
