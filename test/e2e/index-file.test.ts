// The index as a file that users can delete or damage. PostgreSQL keeps its own files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onOneEngine } from '../support/engines.ts';
import { databaseUrl, jsonRequest, type LecternEnv, useLectern } from '../support/lectern-process.ts';

const password = 'correct horse';

onOneEngine('sqlite', 'an index file', (engine) => {
  const lectern = useLectern(afterEach);
  const slow = useLectern(
    afterEach,
    fileURLToPath(new URL('../support/lectern-with-slow-library.ts', import.meta.url)),
  );
  let env: LecternEnv;
  let index: string;

  beforeEach(async () => {
    const library = mkdtempSync(join(tmpdir(), 'lectern-kept-'));
    const url = databaseUrl(await engine.freshTarget({ empty: true }));
    index = url.replace(/^sqlite:/, '');
    env = { LECTERN_DATABASE_URL: url, LECTERN_LIBRARY_URL: `file:${library}`, LECTERN_PASSWORD: password };
    return () => rmSync(library, { recursive: true, force: true });
  });

  const run = (...args: string[]) => lectern.run(args, { env });

  it('that is deleted stops the server, and every change is in the library', async () => {
    const server = await lectern.serve({ role: 'all', env });
    const { stdout } = await run('token', 'create', '--name', 't', '--scope', 'write', '--json');
    const headers = { Authorization: `Bearer ${JSON.parse(stdout).token}` };
    const add = (name: string) => server.request('/api/groups', jsonRequest('POST', { name }, headers));
    await add('before');
    for (const suffix of ['', '-wal', '-shm']) rmSync(index + suffix, { force: true });
    // The server may have noticed already and refuse the request.
    const late = await add('after').catch(() => undefined);
    expect(await server.ended).toMatchObject({ code: 79 });
    expect(server.output.stderr).toContain('The index file was deleted or replaced');
    expect(JSON.parse((await run('reinflate', '--json')).stdout).tables).toContainEqual(
      expect.objectContaining({ table: 'groups', rows: late?.status === 200 ? 3 : 2 }),
    );
  });

  it('that is deleted during a slow flush of the worker stops the server, and every change is in the library', async () => {
    const server = await slow.serve({ role: 'all', env: { ...env, LECTERN_LOG_LEVEL: 'debug' } });
    const { stdout } = await run('token', 'create', '--name', 't', '--scope', 'write', '--json');
    const headers = { Authorization: `Bearer ${JSON.parse(stdout).token}` };
    const add = async (name: string) => {
      const answer = await server.request('/api/groups', jsonRequest('POST', { name }, headers));
      expect(answer.status).toBe(200);
    };
    await server.output.until('stderr', /"role":"worker"/);
    await add('first');
    await server.output.until('stderr', /the worker writes a segment/);
    await add('second');
    for (const suffix of ['', '-wal', '-shm']) rmSync(index + suffix, { force: true });
    expect(await server.ended).toMatchObject({ code: 79 });
    expect(JSON.parse((await run('reinflate', '--json')).stdout).tables).toContainEqual(
      expect.objectContaining({ table: 'groups', rows: 3 }),
    );
  });

  it('that is damaged makes every command name the remedy', async () => {
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: password });
    writeFileSync(index, 'x'.repeat(10_000));
    for (const command of [['user', 'list'], ['reinflate'], ['reinflate', '--force']])
      expect(await run(...command)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('lectern reinflate --force --discard'),
      });
    expect(await run('reinflate', '--force', '--discard')).toMatchObject({ code: 0 });
    expect((await run('user', 'list')).stdout).toContain('anna');
  });
});
