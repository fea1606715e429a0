// The promise, with real processes: kill them, delete the index, and nothing that was flushed is lost.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMigrations } from '../../src/store/migrations.ts';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, jsonRequest, type LecternEnv, useLectern } from '../support/lectern-process.ts';
import { migrate } from '../support/migrate.ts';
import { withSession } from '../support/session.ts';

const password = 'correct horse';

onEachEngine('a library and its processes', (engine) => {
  const lectern = useLectern(afterEach);
  let library: string;
  let env: LecternEnv;

  beforeEach(async () => {
    library = mkdtempSync(join(tmpdir(), 'lectern-kept-'));
    env = { ...(await freshIndex()), LECTERN_LIBRARY_URL: `file:${library}`, LECTERN_PASSWORD: password };
    return () => rmSync(library, { recursive: true, force: true });
  });

  const freshIndex = async () => ({
    LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })),
  });
  const indexPath = () => (env.LECTERN_DATABASE_URL ?? '').replace(/^sqlite:/, '');
  const run = (...args: string[]) => lectern.run(args, { env });
  const token = async () =>
    JSON.parse((await run('token', 'create', '--name', 't', '--scope', 'write', '--json')).stdout).token;
  const segments = () =>
    readdirSync(library, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));

  it('gives back, after any kill and without the index, every change that had been flushed', async () => {
    const acknowledged: string[] = [];
    let secret = '';
    for (let round = 0; round < 2; round++) {
      const server = await lectern.serve({ role: 'all', env });
      secret ||= await token();
      const headers = { Authorization: `Bearer ${secret}` };
      for (let n = 0; n < 10; n++) {
        const name = `group ${round} ${n}`;
        const answer = await server.request('/api/groups', jsonRequest('POST', { name }, headers));
        expect(answer.status).toBe(200);
      }
      const written = () =>
        segments()
          .map((file) => readFileSync(join(library, file), 'utf8'))
          .join('');
      // Killed while the flusher is somewhere in its work; what is in a file by then must come back.
      if (round % 2 === 0) while (!written().includes(`group ${round} 0`)) await pause(1);
      await server.kill();
      for (const [, name = ''] of written().matchAll(/"name":"(group \d+ \d+)"/g)) acknowledged.push(name);
      env = { ...env, ...(await freshIndex()) };
      const refused = await lectern.spawn(['serve', '--role', 'api'], { env });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('lectern reinflate') });
      expect(await run('reinflate', '--json')).toMatchObject({ code: 0 });
    }
    const server = await lectern.serve({ env });
    const { data } = (await (
      await server.request('/api/groups', { headers: { Authorization: `Bearer ${secret}` } })
    ).json()) as {
      data: { name: string }[];
    };
    expect(data.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
    expect(acknowledged.length).toBeGreaterThan(0);
  });

  it('indexes every text anew when it is told to, beside a server that runs', async () => {
    const server = await lectern.serve({ role: 'api', env });
    const headers = { Authorization: `Bearer ${await token()}` };
    const feed = { link: 'https://example.org/feed', name: 'Weather' };
    expect((await server.request('/api/feeds', jsonRequest('POST', feed, headers))).status).toBe(200);
    expect(await run('search', 'rebuild')).toMatchObject({
      code: 0,
      stdout: 'Indexed anew. Documents that can be found: 1.\n',
    });
    const answer = await server.request('/api/v1/search?q=weather', { headers });
    expect(await answer.json()).toMatchObject({ data: [{ kind: 'feed', title: 'Weather' }], found: 1 });
  });

  it('gives back everything after a clean stop', async () => {
    const server = await lectern.serve({ role: 'all', env });
    const secret = await token();
    const headers = { Authorization: `Bearer ${secret}` };
    for (let n = 0; n < 30; n++)
      await server.request('/api/groups', jsonRequest('POST', { name: `g${n}` }, headers));
    expect(await server.stop()).toMatchObject({ code: 0 });
    env = { ...env, ...(await freshIndex()) };
    const { stdout } = await run('reinflate', '--json');
    expect(JSON.parse(stdout).tables).toContainEqual(expect.objectContaining({ table: 'groups', rows: 31 }));
  });

  it('brings pages that were still to be read into the queue again', async () => {
    const server = await lectern.serve({ role: 'api', env });
    const headers = { Authorization: `Bearer ${await token()}` };
    const page = { url: 'https://example.org/page' };
    const saved = await server.request('/api/v1/items', jsonRequest('POST', page, headers));
    expect(saved.status).toBe(201);
    await server.stop();
    // A command leaves nothing unwritten.
    await run('user', 'list');
    env = { ...env, ...(await freshIndex()) };
    expect(await run('reinflate', '--json')).toMatchObject({ code: 0 });
    const { stdout } = await run('jobs', 'list', '--name', 'enrich-item', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'enrich-item', state: 'waiting' }]);
  });

  it('is checked, compacted and measured', async () => {
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
    await token();
    expect(await run('library', 'check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The library is whole'),
    });
    expect(await run('library', 'compact')).toMatchObject({ code: 0 });
    expect(JSON.parse((await run('library', 'stats', '--json')).stdout)).toContainEqual(
      expect.objectContaining({ folder: 'journal', files: 1 }),
    );
    const [segment = ''] = segments();
    writeFileSync(join(library, segment), `${readFileSync(join(library, segment), 'utf8')} `);
    const damaged = await run('library', 'check');
    expect(damaged).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(segment),
      stderr: expect.not.stringContaining('    at '),
    });
  });

  it('is not rebuilt under a running server, nor over an index that has rows without --force', async () => {
    const server = await lectern.serve({ role: 'all', env });
    await token();
    expect(await run('reinflate', '--force')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Stop it first'),
    });
    await server.stop();
    expect(await run('reinflate')).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    expect(await run('reinflate', '--force')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The index is rebuilt'),
    });
  });

  it('is looked at before an index is put aside for it: without a journal, or with a gap, nothing is touched', async () => {
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
    await token();
    await token();
    const nowhere = mkdtempSync(join(tmpdir(), 'lectern-nowhere-'));
    const lost = await lectern.run(['reinflate', '--force'], {
      env: { ...env, LECTERN_LIBRARY_URL: `file:${nowhere}` },
    });
    rmSync(nowhere, { recursive: true });
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to rebuild from') });

    const [, second = ''] = segments().sort();
    const kept = readFileSync(join(library, second));
    rmSync(join(library, second));
    const gap = await run('reinflate', '--force');
    expect(gap).toMatchObject({ code: 1, stderr: expect.stringContaining(second) });
    writeFileSync(join(library, second), kept);
    expect(await run('user', 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('anna') });
  });

  it('that cannot be written when the server stops gets the rest at the next start', async () => {
    const server = await lectern.serve({ role: 'api', env });
    const secret = await token();
    const temporary = join(library, '.tmp');
    rmSync(temporary, { recursive: true });
    writeFileSync(temporary, 'in the way');
    const headers = { Authorization: `Bearer ${secret}` };
    await server.request('/api/groups', jsonRequest('POST', { name: 'the last' }, headers));
    await server.stop();
    // The journal could not be written, and all the rest was stopped nevertheless.
    expect(server.output.stderr).toContain('stopping failed');
    if (engine.name === 'sqlite') expect(existsSync(`${indexPath()}-wal`)).toBe(false);

    rmSync(temporary);
    expect(await run('library', 'check')).toMatchObject({ code: 0 });
    env = { ...env, ...(await freshIndex()) };
    const { stdout } = await run('reinflate', '--json');
    expect(JSON.parse(stdout).tables).toContainEqual(expect.objectContaining({ table: 'groups', rows: 2 }));
  });

  it('that is lost is renewed from an index of an older schema, with changes that were never flushed', async () => {
    const target = await engine.freshTarget({ empty: true });
    await migrate(target, readMigrations(engine.name).slice(0, -1));
    await withSession(target, (session) =>
      session.rows("INSERT INTO users (username, role, created_at, updated_at) VALUES ($1, 'owner', 0, 0)", [
        'anna',
      ]),
    );
    env = { ...env, LECTERN_DATABASE_URL: databaseUrl(target) };
    expect(await run('library', 'renew')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 rows'),
    });
    expect(await run('user', 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('anna') });
    env = { ...env, ...(await freshIndex()) };
    expect(await run('reinflate')).toMatchObject({ code: 0 });
    expect(await run('user', 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('anna') });
  });
});
