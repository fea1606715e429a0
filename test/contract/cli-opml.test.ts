// `lectern import opml` and `lectern export opml`, beside an API on the same index.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, jsonOf, openApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, useLectern } from '../support/lectern-process.ts';

const opml = `<opml><body>
  <outline text="Tech"><outline text="Databases">
    <outline text="SQL" xmlUrl="http://127.0.0.1:1/sql.xml"/><outline text="Bad" xmlUrl="ftp://a.example/"/>
  </outline></outline>
  <outline text="Top" xmlUrl="http://127.0.0.1:1/top.xml"/>
  <outline text="Top" xmlUrl="http://127.0.0.1:1/top.xml"/>
</body></opml>`;

onEachEngine('OPML on the command line', (engine) => {
  const lectern = useLectern(afterAll);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  const file = join(folder, 'feeds.opml');
  let env: Record<string, string>;
  let owner: Client;

  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    writeFileSync(file, opml);
    const api = await openApi(engine);
    await api.addUser('owner');
    owner = await api.logIn('owner');
    env = {
      LECTERN_DATABASE_URL: databaseUrl(api.opened.target),
      LECTERN_LIBRARY_URL: `file:${api.opened.folder}`,
    };
    return () => api.close();
  });

  const run = (...args: string[]) => lectern.run(args, { env });

  async function served(): Promise<string[]> {
    const { data } = await jsonOf<{ data: { link: string }[] }>(await owner.get('/api/feeds'));
    return data.map(({ link }) => link);
  }

  it('shows what an import would do, does it, and shows what it did', async () => {
    const planned = await run('import', 'opml', file, '--dry-run');
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    expect(planned.stdout).toMatch(/^WHAT +COUNT\nfeeds to be followed +2\n/);
    expect(planned.stdout).toMatch(/^ftp:\/\/a\.example\/ +expected an http\(s\) address$/m);
    expect(planned.stdout).toMatch(/^http:\/\/127\.0\.0\.1:1\/top\.xml is in the file more than once$/m);
    expect(planned.stdout).toMatch(/\nNothing was changed\.\n$/);
    expect(await served()).toEqual([]);

    expect(JSON.parse((await run('import', 'opml', file, '--user', 'owner', '--json')).stdout)).toEqual({
      created: 2,
      existing: 0,
      failed: 1,
      groups_created: 1,
      errors: [{ link: 'ftp://a.example/', error: 'expected an http(s) address' }],
      warnings: ['http://127.0.0.1:1/top.xml is in the file more than once'],
    });
    expect(await served()).toEqual(['http://127.0.0.1:1/sql.xml', 'http://127.0.0.1:1/top.xml']);

    const { stdout } = await run('import', 'opml', file);
    expect(stdout).toMatch(/^feeds followed +0\nfeeds that were there +2\ngroups added +0\n/m);
  });

  it('writes a file that it reads back, to standard output or where it is told', async () => {
    const out = join(folder, 'out.opml');
    const { code, stdout } = await run('export', 'opml', '--user', 'owner');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<\?xml.*<outline text="Databases".*sql\.xml.*<\/opml>\n$/s);
    expect(await run('export', 'opml', '-o', out)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const withoutDate = (text: string) => text.replace(/<dateCreated>.*/, '');
    expect(withoutDate(readFileSync(out, 'utf8'))).toBe(withoutDate(stdout));
    const again = JSON.parse((await run('import', 'opml', out, '--json')).stdout);
    expect(again).toMatchObject({ created: 0, existing: 2, failed: 0, groups_created: 0, warnings: [] });
  });

  it('says in one line what is wrong', async () => {
    const page = join(folder, 'page.html');
    writeFileSync(page, '<html>');
    const wrong: [string[], RegExp][] = [
      [['import', 'opml', join(folder, 'missing')], /missing cannot be read: there is no such file\n$/],
      [['import', 'opml', page], /^the file is a web page, not OPML\n$/],
      [['import', 'opml', file, '--user', 'nobody'], /^user "nobody" not found\n$/],
      [['export', 'opml', '-o', join(folder, 'no', 'where')], /cannot be written: ENOENT\n$/],
    ];
    for (const [args, words] of wrong)
      expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(words) });
  });
});
