// The web app: which of its pages somebody gets, and its files.
import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { isSetupDone } from '../../accounts/setup.ts';
import { NotFound } from '../../errors.ts';
import type { Gate } from '../authenticate.ts';
import type { ApiDeps, ApiEnv } from '../context.ts';
import type { Router } from '../router.ts';
import { sendWebFile } from './web-app.ts';

/** Pages that only somebody who is logged in has a use for. They hold nothing of anybody: the API gives them that. */
const rooms = ['library', 'highlights', 'search', 'operations', 'mirror', 'deframer', 'settings', 'parts'];
/** Files that other programs know by their name. */
const fixedFiles = [
  'boot.js',
  'icon-192.png',
  'icon-512.png',
  'icon.svg',
  'manifest.webmanifest',
  'reading.css',
];

export function pageRoutes(router: Router, deps: ApiDeps, gate: Gate): void {
  const send = (c: Context<ApiEnv>, path: string, options?: { forever: boolean }): Response => {
    const file = deps.webApp.get(path);
    if (!file) throw new NotFound('not found');
    return sendWebFile(c, file, options);
  };

  const sendRoom = async (c: Context<ApiEnv>, page: string): Promise<Response> => {
    if (!(await isSetupDone(deps.accounts))) return send(c, '/waiting.html');
    if (await gate.findActor(c)) return send(c, `/${page}.html`);
    const { pathname, search } = new URL(c.req.url);
    const here = pathname + search;
    return c.redirect(here === '/' ? '/login' : `/login?next=${encodeURIComponent(here)}`);
  };

  router.page('open', '/', (c) => sendRoom(c, 'index'));
  for (const room of rooms) router.page('open', `/${room}`, (c) => sendRoom(c, room));

  router.page('open', '/setup', async (c) =>
    (await isSetupDone(deps.accounts)) ? c.redirect('/login') : send(c, '/setup.html'),
  );

  router.page('open', '/login', async (c) => {
    // A sign-on that came to nothing says why, here as there.
    if (!(await isSetupDone(deps.accounts))) return c.redirect(`/${new URL(c.req.url).search}`);
    return send(c, (await deps.store.users.count()) > 1 ? '/login-by-name.html' : '/login.html');
  });

  for (const file of fixedFiles) router.page('open', `/${file}`, (c) => send(c, `/${file}`));
  router.page('open', '/sw.js', (c) => {
    // A service worker lives under the policy that it came with, and its work is to fetch.
    c.header('Content-Security-Policy', "default-src 'none'; connect-src 'self'");
    return send(c, '/sw.js');
  });
  router.page('open', '/app/{file}', (c) => send(c, `/app/${c.req.param('file')}`, { forever: true }));

  const stylesheet = readFileSync(new URL('assets/page.css', import.meta.url), 'utf8');
  router.page('open', '/assets/page.css', (c) =>
    c.body(stylesheet, 200, { 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'no-cache' }),
  );
}
