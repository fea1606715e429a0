// The promise, with real processes: kill them, delete the index, and nothing that was flushed is lost.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ulidTime } from '../../src/library/ulid.ts';
import { readMigrations } from '../../src/store/migrations.ts';
import type { Target } from '../../src/store/open.ts';
import { TestClock } from '../support/clock.ts';
import { deepIt } from '../support/deep-it.ts';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, jsonRequest, type LecternEnv, useLectern } from '../support/lectern-process.ts';
import { folderFiles, openPair } from '../support/library.ts';
import { migrate } from '../support/migrate.ts';
import { withSession } from '../support/session.ts';
import { until } from '../support/until.ts';

const password = 'correct horse';

onEachEngine('a library and its processes', (engine) => {
  const lectern = useLectern(afterEach);
  const withoutWorker = useLectern(
    afterEach,
    fileURLToPath(new URL('../support/lectern-without-worker.ts', import.meta.url)),
  );
  let library: string;
  let env: LecternEnv;

  beforeEach(async () => {
    library = mkdtempSync(join(tmpdir(), 'lectern-kept-'));
    env = { ...(await freshIndex()), LECTERN_LIBRARY_URL: `file:${library}`, LECTERN_PASSWORD: password };
    return () => rmSync(library, { recursive: true, force: true });
  });

  let target: Target;
  const freshIndex = async () => {
    target = await engine.freshTarget({ empty: true });
    return { LECTERN_DATABASE_URL: databaseUrl(target) };
  };
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

  deepIt('indexes every text anew when it is told to, beside a server that runs', async () => {
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

  it('is written by the API while its worker cannot start', async () => {
    const server = await withoutWorker.serve({ role: 'all', env });
    const headers = { Authorization: `Bearer ${await token()}` };
    await server.request('/api/groups', jsonRequest('POST', { name: 'early' }, headers));
    const texts = () => segments().map((file) => readFileSync(join(library, file), 'utf8'));
    await until('the change is in the library', () => texts().some((text) => text.includes('"early"')));
    expect(await server.kill()).toEqual({ code: null, signal: 'SIGKILL' });
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

  deepIt('brings pages that were still to be read into the queue again', async () => {
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
    const stats = JSON.parse((await run('library', 'stats', '--json')).stdout);
    expect(stats).toContainEqual(expect.objectContaining({ folder: 'journal', files: segments().length }));
    // The merged segments stay for a day, and are no problem.
    expect(await run('library', 'check', '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`"kept": ${segments().length - 1}`),
    });
    for (const each of segments())
      writeFileSync(join(library, each), `${readFileSync(join(library, each), 'utf8')} `);
    const damaged = await run('library', 'check');
    expect(damaged).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('its last line is missing'),
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

  it('is looked at before an index is put aside for it: without a journal, or without its first segment, nothing is touched', async () => {
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
    await token();
    await token();
    const nowhere = mkdtempSync(join(tmpdir(), 'lectern-nowhere-'));
    const lost = await lectern.run(['reinflate', '--force'], {
      env: { ...env, LECTERN_LIBRARY_URL: `file:${nowhere}` },
    });
    rmSync(nowhere, { recursive: true });
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to rebuild from') });

    const [first = ''] = segments().sort();
    const kept = readFileSync(join(library, first));
    rmSync(join(library, first));
    const gap = await run('reinflate', '--force');
    expect(gap).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`${basename(first)}.*is missing`)),
    });
    writeFileSync(join(library, first), kept);
    expect(await run('user', 'list')).toMatchObject({ code: 0, stdout: expect.stringContaining('anna') });
  });

  it('is restored up to the first missing segment, and what is left out is named', async () => {
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
    await lectern.run(['user', 'add', 'ben', '--password-stdin'], { env, stdin: password });
    await token();
    const [, second = '', third = ''] = segments().sort();
    rmSync(join(library, second));
    env = { ...env, ...(await freshIndex()) };
    const restored = await run('reinflate', '--json');
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining(basename(second)) });
    expect(restored.stderr).toContain('The journal is complete up to');
    expect(JSON.parse(restored.stdout)).toMatchObject({ set_aside: [third] });
    const { stdout } = await run('user', 'list');
    expect(stdout).toContain('anna');
    expect(stdout).not.toContain('ben');
    expect(await run('library', 'check')).toMatchObject({ code: 0 });
  });

  it('with a gap before more than a day of segments is restored only with --partial', async () => {
    const clock = new TestClock();
    const files = await folderFiles(library, clock);
    const pair = await openPair(await engine.freshTarget(), files, clock);
    for (const username of ['anna', 'ben', 'cleo', 'dora']) {
      const role = username === 'anna' ? 'owner' : 'member';
      await pair.store.users.create({ username, passwordHash: null, role });
      await pair.flush();
      clock.advance(25 * 3_600_000);
    }
    await pair.close();
    const [, second = '', third = '', fourth = ''] = segments().sort();
    rmSync(join(library, second));
    const refused = await run('reinflate');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--partial') });
    expect(refused.stderr).toContain('from 2026-01-03T02:00:00.000Z to 2026-01-04T03:00:00.000Z');
    expect(segments()).toContain(third);
    const partial = await run('reinflate', '--partial', '--json');
    expect(partial).toMatchObject({ code: 0, stderr: expect.stringContaining(basename(second)) });
    expect(JSON.parse(partial.stdout).set_aside).toEqual([third, fourth]);
    expect((await run('user', 'list')).stdout).not.toContain('cleo');
  });

  it('gets the last changes of an index before that is replaced; they are given up only with --discard', async () => {
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
    const addUnflushed = (username: string) =>
      withSession(target, (session) =>
        session.rows(
          "INSERT INTO users (username, role, created_at, updated_at) VALUES ($1, 'member', 0, 0)",
          [username],
        ),
      );
    await addUnflushed('ben');
    expect(await run('reinflate', '--force')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('wrote 1 changed row'),
    });
    expect((await run('user', 'list')).stdout).toContain('ben');

    // Another index takes the library over, so that this one cannot write to it any more.
    await addUnflushed('cleo');
    const old = env;
    env = { ...env, ...(await freshIndex()) };
    expect(await run('reinflate')).toMatchObject({ code: 0 });
    env = old;
    expect(await run('reinflate', '--force')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/1 changed row .*--discard/),
    });
    expect(await run('reinflate', '--force', '--discard')).toMatchObject({ code: 0 });
    expect((await run('user', 'list')).stdout).not.toContain('cleo');
  });

  it('with a damaged segment is repaired from the index', async () => {
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
    await token();
    await token();
    const [, second = ''] = segments().sort();
    writeFileSync(join(library, second), 'not a segment');
    const checked = await run('library', 'check');
    expect(checked).toMatchObject({ code: 1, stderr: expect.stringContaining('lectern library repair') });
    expect(checked.stderr).not.toContain('    at ');
    expect(await run('library', 'repair')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${second}: `),
    });
    expect(await run('library', 'check')).toMatchObject({ code: 0 });
    const { stdout } = await run('token', 'list', '--json');
    env = { ...env, ...(await freshIndex()) };
    expect(await run('reinflate')).toMatchObject({ code: 0 });
    expect((await run('token', 'list', '--json')).stdout).toBe(stdout);
  });

  it('is restored to an earlier moment, or the moments that can be restored are listed', async () => {
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
    const until = new Date(ulidTime(basename(segments().sort().at(-1) ?? ''))).toISOString();
    await lectern.run(['user', 'add', 'ben', '--password-stdin'], { env, stdin: password });
    expect(await run('reinflate', '--force', '--until', '2020-01-01T00:00:00Z')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('every moment since'),
    });
    expect(await run('reinflate', '--force', '--until', 'yesterday')).toMatchObject({ code: 2 });
    expect(await run('reinflate', '--force', '--until', until)).toMatchObject({ code: 0 });
    const { stdout } = await run('user', 'list');
    expect(stdout).toContain('anna');
    expect(stdout).not.toContain('ben');
    expect(await run('library', 'check')).toMatchObject({ code: 0 });
  });

  it('is not rebuilt beside a running server, not even into another index', async () => {
    const server = await lectern.serve({ role: 'all', env });
    await token();
    env = { ...env, ...(await freshIndex()) };
    expect(await run('reinflate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Lectern is running on this library'),
    });
    // The lock of a process that was killed is stale.
    await server.kill();
    expect(await run('reinflate')).toMatchObject({ code: 0 });
  });

  it('that cannot be written when the server stops gets the rest at the next start', async () => {
    const server = await lectern.serve({ role: 'api', env });
    const secret = await token();
    const temporary = join(library, '.tmp');
    rmSync(temporary, { recursive: true });
    writeFileSync(temporary, 'in the way');
    const headers = { Authorization: `Bearer ${secret}` };
    await server.request('/api/groups', jsonRequest('POST', { name: 'the last' }, headers));
    expect(await server.stop()).toEqual({ code: 1, signal: null });
    expect(server.output.stderr).toMatch(
      /^Lectern stopped, but \d+ changes? \(.*groups: 1.*\) (is|are) not in the library yet and will be written at the next start: .*ENOTDIR/m,
    );
    // All the rest was stopped nevertheless.
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
