// `lectern import reedme` as an operator runs it, while the server runs.
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { filesOf, temporaryPlace } from '../support/importing.ts';
import { databaseUrl, jsonRequest, useLectern } from '../support/lectern-process.ts';
import { makeLegacyDatabase } from '../support/legacy-database.ts';
import { cookieOf, expected, few, shown } from '../support/old-reader.ts';

const password = 'correct horse';

onEachEngine('an import of an old database beside a server', (engine) => {
  const lectern = useLectern(afterEach);

  it('is there at once, for the user who was named, and the file is as it was', async () => {
    const env = {
      LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })),
      LECTERN_PASSWORD: password,
    };
    const file = join(temporaryPlace(), 'reedme.db');
    makeLegacyDatabase(file, few);
    const before = filesOf(file);
    const run = (...args: string[]) => lectern.run(['import', 'reedme', file, ...args], { env });
    const early = await run();
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no user yet') });

    const server = await lectern.serve({ env });
    const dry = await run('--dry-run');
    expect(dry.stdout).toMatch(/entries +2 +0 +0 +0\n/);
    expect(dry.stdout).toContain('Nothing was written');
    const done = await run('--json');
    expect(done.stderr).toBe('');
    expect(JSON.parse(done.stdout)).toMatchObject({
      dry_run: false,
      entries: { imported: 2 },
      bookmarks: { imported: 1 },
    });
    const login = await server.request('/api/sessions', jsonRequest('POST', { password }));
    expect(await shown(server, cookieOf(login))).toEqual(expected);

    await lectern.run(['user', 'add', 'berta', '--password-stdin'], { env, stdin: `${password}\n` });
    const other = await run('--user', 'berta');
    expect(other.stdout).toContain('entries: 2 with a new id, since theirs belongs to something else here');
    expect(await run('--user', 'carla')).toMatchObject({ code: 1, stderr: 'user "carla" not found\n' });
    const lost = await lectern.run(['import', 'reedme', `${file}.not`], { env });
    expect(lost).toMatchObject({ code: 1, stderr: `FILE: there is no ${file}.not\n` });
    expect(filesOf(file)).toEqual(before);
  });
});
