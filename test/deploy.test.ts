// The files by which Lectern is put into containers. No container engine is needed here: what they say is held against the
// program that they start.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Runtime } from '../src/cli/runtime.ts';
import { serveCommand } from '../src/cli/serve.ts';
import { readConfig } from '../src/config.ts';

const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), 'utf8');

interface Service {
  image: string;
  command?: string[];
  build?: string;
  environment: Record<string, string>;
  volumes: string[];
  ports?: string[];
  read_only?: boolean;
  security_opt?: string[];
  restart?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
}

const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const { api, worker, db } = compose.services as Record<'api' | 'worker' | 'db', Service>;
const ours = { api, worker };

/** One instruction in each line, without comments. */
const instructions = read('Dockerfile')
  .replace(/^\s*#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '');

const argumentsOf = (name: string) =>
  instructions
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1).trim());

/** As Compose fills them in for somebody who has set nothing but what must be set. */
function filledIn(environment: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, _name, kind, rest) =>
        kind === '?' ? 'given' : rest,
      ),
    ]),
  );
}

describe('compose.yaml', () => {
  it('has an API, a worker and a database', () => {
    expect(Object.keys(compose.services)).toEqual(['api', 'worker', 'db']);
    expect(Object.keys(compose.volumes)).toEqual(['library', 'index']);
  });

  it.each(Object.entries(ours))('sets nothing for the %s that Lectern does not know', (_name, service) => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_env, name) => void asked.add(String(name)) }));
    expect(Object.keys(service.environment).filter((name) => !asked.has(name))).toEqual([]);
  });

  it.each(Object.entries(ours))('hands every setting of the deframer on to the %s', (_name, service) => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_env, name) => void asked.add(String(name)) }));
    const wanted = [...asked].filter((name) => /^(AI_|LECTERN_AI_|LECTERN_DEFRAMER_)/.test(name));
    // For tests.
    const left = wanted.filter((name) => name !== 'LECTERN_AI_MOCK_LATENCY');
    expect(left.length).toBeGreaterThan(7);
    expect(left.filter((name) => !(name in service.environment))).toEqual([]);
  });

  it.each(Object.entries(ours))('gives the %s an environment that Lectern starts with', (_name, service) => {
    const { config, warnings } = readConfig(filledIn(service.environment));
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ host: '0.0.0.0', port: 8484, ai: { type: 'local' }, password: undefined });
    if (config.database.engine !== 'postgres') throw new Error('not on PostgreSQL');
    expect(config.database.url.reveal()).toBe('postgres://lectern:given@db/lectern');
  });

  it('starts commands that exist', () => {
    const role = serveCommand({} as Runtime).options.find(({ long }) => long === '--role');
    const roles = Object.values(ours).map(({ command = [] }) => {
      expect(command.slice(0, 2)).toEqual(['serve', '--role']);
      return command[2];
    });
    expect(roles).toEqual(['api', 'worker']);
    expect(role?.argChoices).toEqual(expect.arrayContaining(roles));
  });

  it('names images by a major version or more, and one for both halves of Lectern', () => {
    for (const { image } of Object.values(compose.services)) expect(image).toMatch(/^[\w./-]+:\d+[\w.-]*$/);
    expect(api.image).toBe(worker.image);
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(version).toMatch(new RegExp(`^${api.image.split(':')[1]?.replace('.', '\\.')}\\.`));
  });

  it('has no secret in it, and no default for one', () => {
    const found = Object.values(compose.services)
      .flatMap(({ environment }) => Object.entries(environment))
      .filter(([name]) => /PASSWORD|KEY|TOKEN|SECRET/.test(name));
    expect(found.length).toBeGreaterThan(6);
    expect(found.filter(([, value]) => !/^\$\{\w+(:-|:\?[^}]+)\}$/.test(value))).toEqual([]);
    for (const service of [api, worker])
      expect(service.environment.DB_PASSWORD).toMatch(/^\$\{DB_PASSWORD:\?/);
    expect(db.environment.POSTGRES_PASSWORD).toBe(api.environment.DB_PASSWORD);
  });

  it('gives both halves one library and one index', () => {
    expect(api.volumes).toEqual(['library:/data']);
    expect(worker.volumes).toEqual(api.volumes);
    expect(worker.environment).toEqual(api.environment);
    expect(db.volumes).toEqual(['index:/var/lib/postgresql']);
  });

  it('is reached by this machine alone, and starts when the database answers', () => {
    expect(Object.values(compose.services).flatMap(({ ports = [] }) => ports)).toEqual([
      '127.0.0.1:8484:8484',
    ]);
    for (const { depends_on } of [api, worker])
      expect(depends_on).toMatchObject({ db: { condition: 'service_healthy' } });
    expect(db.healthcheck?.test).toEqual(expect.arrayContaining(['pg_isready', '--host=127.0.0.1']));
  });

  it('lets nothing of Lectern write outside its volume, nor gain rights, and starts it again', () => {
    for (const service of [api, worker])
      expect(service).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'], init: true });
    for (const service of Object.values(compose.services))
      expect(service).toMatchObject({ security_opt: ['no-new-privileges:true'], restart: 'unless-stopped' });
  });
});

describe('the Dockerfile', () => {
  const copied = argumentsOf('COPY')
    .filter((line) => !line.includes('--from='))
    .map((line) => line.split(/\s+/).filter((word) => !word.startsWith('--')))
    .flatMap((words) => words.slice(0, -1));

  it('copies what there is', () => {
    expect(copied.length).toBeGreaterThan(8);
    expect(copied.filter((name) => !existsSync(path(name)))).toEqual([]);
  });

  it('copies what .dockerignore lets through, and that lets nothing else through', () => {
    const lines = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const wanted = copied.map((name) => name.replace(/^\.\//, '').replace(/\/$/, ''));
    const isWithin = (name: string, folder: string) => name === folder || name.startsWith(`${folder}/`);
    expect(wanted.filter((name) => !allowed.some((folder) => isWithin(name, folder)))).toEqual([]);
    expect(allowed.filter((name) => !wanted.some((copy) => isWithin(copy, name)))).toEqual([]);
    expect(lines).toContain('**/node_modules');
  });

  it('stands on the Node that Lectern runs on, by its major version', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const major = Object.values(optionalDependencies)[0]?.split('.')[0];
    const images = argumentsOf('FROM').map((line) => line.split(' ')[0] ?? '');
    expect([...new Set(images)].sort()).toEqual(['base', `node:${major}-bookworm-slim`]);
  });

  it('leaves packages for development out, and in the end those that build the web app too', () => {
    const installs = instructions.filter((line) => /\bnpm (ci|install)\b/.test(line));
    expect(installs).toHaveLength(2);
    for (const line of installs) expect(line).toMatch(/npm ci --omit=dev /);
    const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
    const from = last.filter((line) => line.includes('--from='));
    expect(from).toEqual([
      'COPY --from=packages /app/node_modules/ node_modules/',
      'COPY --from=web /app/web/dist/ web/dist/',
    ]);
    const packages = instructions.slice(instructions.findIndex((line) => line.endsWith(' AS packages')));
    expect(packages[1]).toContain('--no-workspaces');
  });

  it('runs Node itself as somebody who is not root, with signals that reach it', () => {
    expect(argumentsOf('USER')).toEqual(['node']);
    expect(argumentsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(argumentsOf('VOLUME')).toEqual(['/data']);
    expect(argumentsOf('EXPOSE')).toEqual(['8484']);
    const [entry = ''] = argumentsOf('ENTRYPOINT');
    expect(JSON.parse(entry)).toEqual(['node', '/app/src/main.ts']);
    expect(read('deploy/lectern')).toContain(`exec ${JSON.parse(entry).join(' ')} "$@"`);
  });

  it('sets only what Lectern knows, and starts on the folder that is a volume', () => {
    const [given = ''] = argumentsOf('ENV');
    const env = Object.fromEntries(given.split(/\s+/).map((pair) => pair.split('=') as [string, string]));
    const { config, warnings } = readConfig(env);
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ home: '/data', host: '0.0.0.0', port: 8484 });
  });
});

describe('deploy/README.md', () => {
  it('speaks of services and settings that exist', () => {
    const text = read('deploy/README.md');
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_env, name) => void asked.add(String(name)) }));
    const named = text.match(/\b(LECTERN_[A-Z_]+|AI_[A-Z_]+|DB_[A-Z_]+)\b/g) ?? [];
    expect([...new Set(named)].filter((name) => !asked.has(name))).toEqual([]);
    const services = [...text.matchAll(/docker compose (?:exec|logs|restart|run --rm) (\w+)/g)].map(
      ([, name]) => name,
    );
    expect(services.length).toBeGreaterThan(5);
    expect([...new Set(services)].filter((name) => !((name as string) in compose.services))).toEqual([]);
    const volumes = [...text.matchAll(/lectern_(\w+)/g)].map(([, name]) => name);
    expect([...new Set(volumes)].sort()).toEqual(['default', ...Object.keys(compose.volumes)].sort());
  });
});
