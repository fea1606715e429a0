// Real processes on a file of ReedMe: served, killed half way, started twice at once, imported beside a server.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { TestClock } from '../support/clock.ts';
import { onOneEngine, openStoreAt } from '../support/engines.ts';
import { filesOf, temporaryPlace } from '../support/importing.ts';
import { databaseUrl, jsonRequest, type LecternEnv, useLectern } from '../support/lectern-process.ts';
import { makeLargeLegacyDatabase, makeLegacyDatabase } from '../support/legacy-database.ts';
import { cookieOf, expected, few, shown } from '../support/old-reader.ts';
import { besides, itemsIn, oldPlace } from '../support/taking-over.ts';
import { until } from '../support/until.ts';

const password = 'correct horse';

onOneEngine('sqlite', 'processes on an old database', (engine) => {
  const lectern = useLectern(afterEach);

  function placed(make: (path: string) => void) {
    const place = oldPlace(temporaryPlace());
    make(place.path);
    const env: LecternEnv = {
      LECTERN_DATABASE_URL: `sqlite:${place.path}`,
      LECTERN_LIBRARY_URL: `file:${place.library}`,
    };
    return { place, env };
  }

  async function stateOf(path: string) {
    const { store } = await openStoreAt({ engine: 'sqlite', path }, new TestClock());
    const state = await store.stateHash();
    await store.close();
    return state.hash;
  }

  it('serve it: whoever logs in finds everything, and the library can give it back', async () => {
    const { place, env } = placed((path) => makeLegacyDatabase(path, few));
    const server = await lectern.serve({ env: { ...env, LECTERN_PASSWORD: password } });
    expect(server.setupSecret).toBeUndefined();
    const login = await server.request('/api/sessions', jsonRequest('POST', { password }));
    expect(login.status).toBe(200);
    expect(await shown(server, cookieOf(login))).toEqual(expected);
    expect(server.output.stderr).toContain('the old database is brought over');
    await server.stop();
    expect(besides(place).filter((name) => !/-(wal|shm)$/.test(name))).toEqual([
      expect.stringMatching(/^index\.db\.bak\.\d+$/),
    ]);

    const before = await stateOf(place.path);
    const other = databaseUrl(await engine.freshTarget({ empty: true }));
    const rebuilt = await lectern.run(['reinflate', '--json'], {
      env: { ...env, LECTERN_DATABASE_URL: other },
    });
    expect(rebuilt.code).toBe(0);
    expect(JSON.parse(rebuilt.stdout).state_hash).toBe(before);
  });

  it('ask for a password by the setup link, and the owner who chooses it has everything', async () => {
    const { env } = placed((path) => makeLegacyDatabase(path, few));
    const server = await lectern.serve({ env });
    expect(server.setupSecret).toMatch(/./);
    const setUp = (token: string | undefined) =>
      server.request('/api/setup', jsonRequest('POST', { token, username: 'anna', password }));
    const answer = await setUp(server.setupSecret);
    expect(answer.status).toBe(200);
    expect(await shown(server, cookieOf(answer))).toEqual(expected);
    expect((await setUp(server.setupSecret)).status).toBe(409);
    const users = await lectern.run(['user', 'list', '--json'], { env });
    expect(JSON.parse(users.stdout)).toMatchObject([{ id: 1, username: 'anna', role: 'owner' }]);
  });

  it('give it to the first user whom the operator adds', async () => {
    const { env } = placed((path) => makeLegacyDatabase(path, few));
    const server = await lectern.serve({ env });
    const added = await lectern.run(['user', 'add', 'anna', '--password-stdin'], {
      env,
      stdin: `${password}\n`,
    });
    expect(added).toMatchObject({ code: 0, stdout: 'Added anna as owner.\n' });
    const login = await server.request('/api/sessions', jsonRequest('POST', { username: 'anna', password }));
    expect(await shown(server, cookieOf(login))).toEqual(expected);
  });

  it('are killed half way, again and again, and the next one finds all that there was', async () => {
    const items = 3_000;
    const { place, env } = placed((path) => makeLargeLegacyDatabase(path, { items }));
    const folder = join(place.path, '..');
    const building = () => readdirSync(folder).find((name) => /\.migrating\.[\w-]{8}$/.test(name));
    const sizeOf = (suffix = '') =>
      statSync(join(folder, `${building()}${suffix}`), { throwIfNoEntry: false })?.size ?? 0;
    const moments: [string, () => boolean][] = [
      ['the lock is taken', () => existsSync(`${place.path}.migrating.lock`)],
      ['the copy is made', () => readdirSync(folder).some((name) => name.endsWith('.bak'))],
      ['the new index is begun', () => building() !== undefined],
      ['some of it is written', () => sizeOf() + sizeOf('-wal') > 3_000_000],
      ['most of it is written', () => sizeOf() > 5_000_000],
    ];
    for (const [moment, isThere] of moments) {
      const worker = lectern.work({ holder: 'doomed', env });
      await until(moment, isThere);
      worker.signal('SIGKILL');
      await worker.ended;
      for (const name of readdirSync(folder).filter((one) => /\.bak\.\d+$/.test(one)))
        expect(itemsIn(join(folder, name))).toBe(items);
    }
    await (await lectern.serve({ env })).stop();
    expect(readdirSync(folder).filter((name) => name.includes('.migrating.'))).toEqual([]);
    expect(readdirSync(folder).filter((name) => /\.bak\.\d+$/.test(name))).toHaveLength(1);
    const { store } = await openStoreAt({ engine: 'sqlite', path: place.path }, new TestClock());
    const feeds = await store.forUser(1).feeds.list();
    expect(feeds.reduce((sum, { entries }) => sum + entries, 0)).toBe(items);
    await store.close();
  });

  it('start at once: one brings it over, and all of them serve it', async () => {
    const { place, env } = placed((path) => makeLargeLegacyDatabase(path, { items: 1_500 }));
    const withPassword = { ...env, LECTERN_PASSWORD: password };
    const servers = await Promise.all([1, 2, 3].map(() => lectern.serve({ env: withPassword })));
    for (const server of servers) {
      const login = await server.request('/api/sessions', jsonRequest('POST', { password }));
      const { feeds } = await shown(server, cookieOf(login));
      expect(feeds).toHaveLength(20);
    }
    expect(besides(place).filter((name) => name.includes('.bak.'))).toHaveLength(1);
    const said = servers.filter(({ output }) => output.stderr.includes('the old database is brought over'));
    expect(said).toHaveLength(1);
  });

  it('refuse a file that is somebody else’s, whatever they are asked', async () => {
    const { place, env } = placed((path) => makeLegacyDatabase(path, few));
    const before = filesOf(place.path);
    for (const args of [
      ['reinflate', '--force'],
      ['library', 'renew'],
      ['user', 'list'],
      ['import', 'reedme', place.path, '--dry-run'],
    ]) {
      const refused = await lectern.run(args, { env });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('of ReedMe or Fusion') });
    }
    expect(filesOf(place.path)).toEqual(before);
  });
});
