// `npm run dev`: Astro's dev server for the web app, with the API behind it on the same origin. The API and the worker
// restart when one of their files changes.
import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dev } from 'astro';
import { createApiProcess } from './api-process.ts';
import { devPlugin, standInFor } from './dev-plugin.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = join(root, '.dev', 'pages');
/** Not the port of `npm start`: both can run, and they share no service worker and no local storage. */
const defaultPort = 8485;
const { LECTERN_HOST: host = '127.0.0.1', LECTERN_PORT: port = defaultPort } = process.env;

const api = createApiProcess({
  program: [join(root, 'src', 'main.ts'), 'serve', '--web-app', pages],
  env: {
    LECTERN_HOME: join(root, '.dev', 'data'),
    ...process.env,
    LECTERN_HOST: '127.0.0.1',
    LECTERN_PORT: '0',
    // The API must print its own address, from which we read its port.
    LECTERN_PUBLIC_URL: '',
  },
  beforeStart: writeStandIns,
});

const server = await dev({
  root: join(root, 'web'),
  logLevel: 'warn',
  server: { host, port: Number(port) },
  vite: {
    plugins: [devPlugin({ api, watched: [join(root, 'src'), join(root, 'migrations')] })],
    server: {
      strictPort: true,
      // The API has its own rule for other origins.
      cors: false,
      // The packages may be a link to another folder, as in a Git worktree.
      fs: { allow: [root, realpathSync(join(root, 'node_modules'))] },
    },
  },
});

// Vite's own listener ends this process before the API has stopped.
process.removeAllListeners('SIGTERM');
// `on`, not `once`: Ctrl-C arrives twice, from the terminal and from bin/develop.mjs.
const stopAsked = new Promise((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, resolve);
});

// Not 127.0.0.1: cookies ignore the port, so a login here would end the session with the server of `npm start`.
const shownHost = ['127.0.0.1', '0.0.0.0', '::'].includes(host) ? 'localhost' : host;
api.start(`http://${shownHost}:${server.address.port}`);
await stopAsked;
await Promise.all([api.stop(), server.stop()]);
process.exit();

/** The API gets these files instead of a built web app. Each names the page that Astro renders in its place. */
function writeStandIns(): void {
  rmSync(pages, { recursive: true, force: true });
  mkdirSync(pages, { recursive: true });
  for (const source of readdirSync(join(root, 'web', 'src', 'pages'))) {
    const name = source.replace(/\.astro$/, '.html').replace(/\.ts$/, '');
    writeFileSync(join(pages, name), standInFor(name));
  }
}
