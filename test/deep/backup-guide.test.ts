// docs/backup.md, followed word for word: every command of the guide runs on a real library, with the real programs.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onOneEngine } from '../support/engines.ts';
import { readGuideCommands } from '../support/guide-commands.ts';
import { missingPrograms } from '../support/installed.ts';
import { jsonRequest, type LecternEnv, type LecternProcess, useLectern } from '../support/lectern-process.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { until } from '../support/until.ts';

const bin = fileURLToPath(new URL('../../bin', import.meta.url));
const password = 'correct horse';

onOneEngine('sqlite', 'the backup guide', () => {
  const lectern = useLectern(afterAll);
  const place = mkdtempSync(join(tmpdir(), 'lectern-backup-'));
  const data = join(place, 'data');
  const journal = join(data, 'library', 'journal');
  const left = readGuideCommands();
  let s3: S3Server;
  let env: NodeJS.ProcessEnv;

  /** Runs the first block under a heading that has not run yet. */
  async function follow(heading: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
    const commands = left.get(heading)?.shift();
    if (commands === undefined) throw new Error(`the guide has no other commands under "${heading}"`);
    const options = { cwd: place, env: { ...env, ...more } };
    return (await promisify(execFile)('bash', ['--norc', '-euc', commands], options)).stdout;
  }

  const serve = (more: LecternEnv = {}) =>
    lectern.serve({ role: 'all', env: { LECTERN_HOME: data, LECTERN_PASSWORD: password, ...more } });
  const logIn = async (server: LecternProcess) => {
    const answer = await server.request('/api/sessions', jsonRequest('POST', { password }));
    return { Cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '', Origin: server.url };
  };
  const addGroup = async (server: LecternProcess, name: string) => {
    const input = jsonRequest('POST', { name }, await logIn(server));
    expect((await server.request('/api/groups', input)).status).toBe(200);
    await until('it is in the library', () => isInJournal(name));
  };
  const isInJournal = (text: string) =>
    existsSync(journal) &&
    readdirSync(journal, { recursive: true, withFileTypes: true }).some(
      (file) => file.isFile() && readFileSync(join(file.parentPath, file.name), 'utf8').includes(text),
    );
  /** The names of all groups but the first, which every user has, in a server that is started for the question. */
  async function groups(more: LecternEnv = {}): Promise<string[]> {
    const server = await serve(more);
    const answer = await server.request('/api/groups', { headers: await logIn(server) });
    const { data: found } = (await answer.json()) as { data: { name: string }[] };
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    return found.slice(1).map(({ name }) => name);
  }

  beforeAll(async () => {
    s3 = await startS3Server();
    await s3.createBucket('my-bucket');
    symlinkSync(bin, join(place, 'bin'));
    mkdirSync(join(place, 'backup'));
    env = {
      ...{ PATH: process.env.PATH, HOME: place, LECTERN_EMBEDDINGS: 'off' },
      ...{ BACKUP: join(place, 'backup'), RESTIC_PASSWORD: 'secret', BUCKET: 's3:my-bucket/lectern' },
      ...{
        RCLONE_CONFIG_S3_TYPE: 's3',
        RCLONE_CONFIG_S3_PROVIDER: 'Other',
        RCLONE_CONFIG_S3_ENDPOINT: s3.url,
        // The test server lists keys wrongly when a request has a delimiter.
        RCLONE_FAST_LIST: 'true',
      },
      ...{ RCLONE_CONFIG_S3_ACCESS_KEY_ID: 'S3RVER', RCLONE_CONFIG_S3_SECRET_ACCESS_KEY: 'S3RVER' },
    };
  });
  afterAll(async () => {
    await s3.stop();
    rmSync(place, { recursive: true, force: true });
  });

  it('makes, checks and restores backups by every command that it names', async (context) => {
    const missing = missingPrograms('bash', 'rsync', 'restic', 'borg', 'rclone');
    if (missing) context.skip(missing);
    // The variables are those of the test.
    left.get('Backup and restore')?.shift();

    const server = await serve();
    await addGroup(server, 'in every backup');
    for (const _ of ['rsync', 'restic', 'borg']) await follow('Make a backup');
    expect(await follow('Check and repair')).toContain('The library is whole');
    await addGroup(server, 'after the backups');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    await follow('Check and repair');
    const MOMENT = new Date().toISOString();

    await follow('From a folder to S3, or to another disk');
    await follow('Make a backup');
    for (const heading of Array<string>(2).fill('The index is broken or gone')) {
      await follow(heading);
      expect(await groups()).toEqual(['in every backup', 'after the backups']);
    }
    await follow('Keep it small');

    const later = await serve();
    await addGroup(later, 'after the moment');
    expect(await later.stop()).toEqual({ code: 0, signal: null });
    expect(await groups()).toEqual(['in every backup', 'after the backups', 'after the moment']);
    await follow('Go back in time', { MOMENT });
    expect(await groups()).toEqual(['in every backup', 'after the backups']);

    await follow('Restore');
    expect(await groups()).toEqual(['in every backup']);
    for (const _ of ['restic', 'borg']) {
      rmSync(data, { recursive: true });
      await follow('Restore');
      await promisify(execFile)('bin/lectern', ['reinflate'], { cwd: place, env });
      expect(await groups()).toEqual(['in every backup']);
    }
    rmSync(data, { recursive: true });
    await follow('Restore');
    const restored = { LECTERN_LIBRARY_URL: s3.libraryUrl('my-bucket', 'lectern-restored').reveal() };
    await promisify(execFile)('bin/lectern', ['reinflate'], { cwd: place, env: { ...env, ...restored } });
    expect(await groups(restored)).toEqual(['in every backup', 'after the backups']);

    rmSync(data, { recursive: true });
    cpSync(join(env.BACKUP ?? '', 'library'), join(data, 'library'), { recursive: true });
    await promisify(execFile)('bin/lectern', ['reinflate'], { cwd: place, env });
    rmSync(join(data, 'library'), { recursive: true });
    await follow('The library is lost, the index is not');
    expect(await groups()).toEqual(['in every backup']);

    expect([...left].filter(([, blocks]) => blocks.length > 0)).toEqual([]);
  });
});
