// The mirror on the command line, as typed into a shell: run, looked at, and rebuilt from its files after the index was lost, or
// from the bucket that a Worker has filled.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFiles } from '../../src/library/files/open-files.ts';
import { TestClock } from '../support/clock.ts';
import { deepIt } from '../support/deep-it.ts';
import { onOneEngine, openStoreAt } from '../support/engines.ts';
import {
  databaseUrl,
  jsonRequest,
  type LecternEnv,
  type LecternProcess,
  useLectern,
} from '../support/lectern-process.ts';
import { testFilesDeps } from '../support/libraries.ts';
import { folderFiles } from '../support/library.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';
import { startS3Server } from '../support/s3-server.ts';

const token = 'a-token-that-nobody-may-see';
const password = 'a quiet place to read';
const queries = ['example', '東京', 'karte', 'maps', 'library', 'curlews'];

onOneEngine('sqlite', 'the mirror on the command line', (engine) => {
  const lectern = useLectern(afterAll);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  const library = join(folder, 'library');
  let server: RaindropServer;
  let target: Awaited<ReturnType<typeof engine.freshTarget>> & { engine: 'sqlite' };
  let env: LecternEnv;

  beforeAll(async () => {
    server = await startRaindropServer({ now: Date.now, token, rateLimit: 10_000 });
    server.account.fillWith(28);
    server.account.add({
      link: 'https://example.org/curlews',
      title: 'Birds',
      copy: { html: '<p>Curlews call.</p>' },
    });
    const trashed = server.account.add({ link: 'https://example.org/old', title: 'Old' });
    server.account.trash(trashed._id);
    target = (await engine.freshTarget()) as typeof target;
    env = {
      LECTERN_DATABASE_URL: databaseUrl(target),
      LECTERN_LIBRARY_URL: `file:${library}`,
      LECTERN_RAINDROP_API_URL: server.apiUrl,
      LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
    };
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (args: string[], changes: LecternEnv = { LECTERN_RAINDROP_TOKEN: token }) =>
    lectern.run(args, { env: { ...env, ...changes } });
  const jsonOf = ({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>) => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const live = () => server.account.all().filter(({ removed }) => !removed);
  const askedFor = (end: string) => server.requests.filter(({ path }) => path.endsWith(end));
  /** What a person finds, over HTTP. */
  async function answersOf(
    lecternServer: LecternProcess,
    headers: Record<string, string>,
  ): Promise<{ title: string; snippet: unknown }[][]> {
    const answers = [];
    for (const query of queries) {
      const path = `/api/v1/search?limit=100&q=${encodeURIComponent(query)}`;
      const response = await lecternServer.request(path, { headers });
      expect(response.status).toBe(200);
      answers.push(((await response.json()) as { data: { title: string; snippet: unknown }[] }).data);
    }
    return answers;
  }
  async function served<T>(changes: LecternEnv, work: (process: LecternProcess) => Promise<T>): Promise<T> {
    const process = await lectern.serve({ env: { ...env, ...changes } });
    try {
      return await work(process);
    } finally {
      await process.stop();
    }
  }

  it('says what to do while no token is set', async () => {
    const status = await run(['mirror', 'status'], {});
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toMatch(/^next batch +none: no token is set$/m);
    expect(status.stdout).toMatch(/\nNo token of Raindrop is set\. .*set LECTERN_RAINDROP_TOKEN\.\n$/);
    const refused = await run(['mirror', 'run'], {});
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^No token of Raindrop is set\. .*\n$/);
    expect(server.requests).toHaveLength(0);
  });

  it('fails with the sentence that says why when nothing could be done', async () => {
    const refused = await run(['mirror', 'run', '--no-wait'], { LECTERN_RAINDROP_TOKEN: 'a-wrong-token' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^Raindrop refused the token\..*\n$/m);
    expect(refused.stderr).not.toContain('    at ');
    expect(refused.stdout + refused.stderr).not.toContain('a-wrong-token');
    const status = await run(['mirror', 'status']);
    // Looking is no failure, whatever there is to see.
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toMatch(/^problem +Raindrop refused the token\./m);
  });

  it('ends at once and without a word when it is interrupted', async () => {
    const asked = Promise.withResolvers<void>();
    server.faults.always(() => true, 'hang');
    server.faults.onRequest(() => asked.resolve());
    const command = lectern.begin(['mirror', 'run', '--no-wait'], {
      env: { ...env, LECTERN_RAINDROP_TOKEN: token },
    });
    await asked.promise;
    command.signal('SIGINT');
    const { code } = await command.ended;
    server.faults.clear();
    expect({ code, ...command.output }).toMatchObject({ code: 130, stdout: '' });
    expect(command.output.stderr).not.toContain('    at ');
  });

  it('mirrors all there is in one go, and nothing a second time', async () => {
    server.requests.clear();
    const first = await run(['mirror', 'run', '--no-wait']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const count = live().length;
    expect(first.stdout).toMatch(new RegExp(`^raindrops +${count} of ${count}$`, 'm'));
    expect(first.stdout).toMatch(/^state +up to date until the next run$/m);
    expect(first.stdout).toMatch(/^permanent copies +\d+ kept, /m);
    for (const line of first.stdout.split('\n')) expect(line.length).toBeLessThan(110);
    expect(askedFor('/cache').length).toBeGreaterThan(5);
    expect(first.stdout).not.toContain(token);

    server.requests.clear();
    const again = jsonOf(await run(['mirror', 'run', '--no-wait', '--json']));
    expect(again).toMatchObject({
      ...{ isConfigured: true, isRunning: false, phase: 'idle', problem: null, total: count },
      counts: { live: count },
      estimate: null,
    });
    expect(askedFor('/cache')).toEqual([]);
    expect(jsonOf(await run(['mirror', 'status', '--json']))).toEqual(again);
  });

  it('is whole after the index was deleted: the same state, and the same answers', async () => {
    await run(['search', 'rebuild']);
    const { token: secret } = jsonOf(
      await run(['token', 'create', '--name', 't', '--scope', 'read', '--json']),
    );
    const headers = { Authorization: `Bearer ${secret}` };
    const stateOf = async () => {
      const { store } = await openStoreAt(target, new TestClock());
      const { hash } = await store.stateHash();
      await store.close();
      return hash;
    };
    const before = { answers: await served({}, (at) => answersOf(at, headers)), hash: await stateOf() };
    expect(before.answers.flat().length).toBeGreaterThan(20);
    for (const end of ['', '-wal', '-shm']) rmSync(target.path + end, { force: true });

    const rebuilt = jsonOf(await run(['reinflate', '--json']));
    expect(rebuilt).toMatchObject({
      state_hash: before.hash,
      mirror: { raindrops: 0, removed: 0, problems: [] },
    });
    expect(await stateOf()).toBe(before.hash);
    await run(['search', 'rebuild']);
    expect(await served({}, (at) => answersOf(at, headers))).toEqual(before.answers);
    expect(jsonOf(await run(['mirror', 'status', '--json'])).counts.live).toBe(live().length);
  });

  it('is taken over from the bucket of a Worker, for an owner who is still to come', async () => {
    const bucket = join(folder, 'bucket');
    for (const name of ['raindrops', 'manifests'])
      cpSync(join(library, name), join(bucket, name), { recursive: true });
    const [damaged] = live().filter(({ title }) => title === 'Birds');
    const text = join(bucket, `raindrops/${damaged?._id}/plain.txt`);
    writeFileSync(text, readFileSync(text, 'utf8').replace('Curlews', 'Curfews'));
    const elsewhere = {
      LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })),
      LECTERN_LIBRARY_URL: `file:${bucket}`,
      LECTERN_RAINDROP_TOKEN: token,
    };

    const rebuilt = await run(['reinflate'], elsewhere);
    expect(rebuilt).toMatchObject({ code: 0, stderr: '' });
    expect(rebuilt.stdout).toContain(
      `Raindrop ${damaged?._id} was left out: plain.txt is not what meta.json says it is. The mirror fetches it anew.\n`,
    );
    expect(rebuilt.stdout).toContain(`\n${live().length - 1} raindrops came from the files of the mirror.\n`);

    const found = await served(elsewhere, async (at) => {
      expect(at.setupSecret).toBeDefined();
      const claim = { token: at.setupSecret, username: 'berta', password };
      const claimed = await at.request('/api/setup', jsonRequest('POST', claim, { Origin: at.url }));
      expect(claimed.status).toBe(200);
      const Cookie = claimed.headers.getSetCookie().join('; ').split(';')[0] as string;
      return answersOf(at, { Cookie });
    });
    const { token: secret } = jsonOf(
      await run(['token', 'create', '--name', 'u', '--scope', 'read', '--json']),
    );
    const before = await served({}, (at) => answersOf(at, { Authorization: `Bearer ${secret}` }));
    const titles = (answers: { title: string }[][]) =>
      answers.map((hits) => hits.map(({ title }) => title).sort());
    expect(titles(found)).toEqual(titles(before).map((all) => all.filter((title) => title !== 'Birds')));
    expect(titles(before).at(-1)).toEqual(['Birds']);

    server.requests.clear();
    const whole = jsonOf(await run(['mirror', 'run', '--no-wait', '--json'], elsewhere));
    expect(whole).toMatchObject({ phase: 'idle', problem: null, counts: { live: live().length } });
    expect(askedFor('/cache').map(({ path }) => path)).toEqual([]);
    expect(readFileSync(text, 'utf8')).toBe('Curlews call.');
  });

  deepIt('is taken over from a bucket of S3 just the same', async () => {
    const s3 = await startS3Server();
    try {
      await s3.createBucket('mirror');
      const url = s3.libraryUrl('mirror', 'kept');
      const [from, to] = [
        await folderFiles(library),
        await openFiles({ kind: 's3', url, shown: '' }, testFilesDeps),
      ];
      const [damaged] = live();
      for (const prefix of ['raindrops/', 'manifests/'])
        for await (const { key } of from.listAll(prefix)) {
          const bytes = (await from.read(key)) as Uint8Array;
          await to.put(key, key === `raindrops/${damaged?._id}/plain.txt` ? bytes.slice(1) : bytes);
        }
      const elsewhere = {
        LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })),
        LECTERN_LIBRARY_URL: url.reveal(),
      };
      expect(jsonOf(await run(['reinflate', '--json'], elsewhere))).toMatchObject({
        sets: 0,
        mirror: {
          raindrops: live().length - 1,
          problems: [{ id: damaged?._id, what: 'plain.txt is not what meta.json says it is' }],
        },
      });
      expect(jsonOf(await run(['user', 'list', '--json'], elsewhere))).toMatchObject([
        { username: 'owner', role: 'owner' },
      ]);
      expect(jsonOf(await run(['mirror', 'status', '--json'], elsewhere)).counts.live).toBe(
        live().length - 1,
      );
    } finally {
      await s3.stop();
    }
  });
});
