// The first pages a person meets: set up, log in, and a door to what is there.
import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { isSetupDone } from '../../accounts/setup.ts';
import type { Gate } from '../authenticate.ts';
import type { ApiDeps, ApiEnv } from '../context.ts';
import type { Router } from '../router.ts';
import { escapeHtml, type Page, sendPage } from './page.ts';

const assets = [
  { file: 'page.css', type: 'text/css; charset=utf-8' },
  { file: 'form.js', type: 'text/javascript; charset=utf-8' },
  { file: 'local-path.js', type: 'text/javascript; charset=utf-8' },
];

export function pageRoutes(router: Router, deps: ApiDeps, gate: Gate): void {
  router.page('open', '/', async (c) => {
    if (!(await isSetupDone(deps.accounts))) return sendPage(c, notSetUp);
    const actor = await gate.findActor(c);
    return actor ? sendPage(c, home(actor.user.username, actor.user.role === 'owner')) : c.redirect('/login');
  });

  router.page('open', '/setup', async (c) =>
    (await isSetupDone(deps.accounts)) ? c.redirect('/login') : sendPage(c, setup),
  );

  router.page('open', '/login', async (c) => {
    if (!(await isSetupDone(deps.accounts))) return c.redirect('/');
    return sendPage(c, login((await deps.store.users.count()) > 1));
  });

  for (const { file, type } of assets) {
    const body = readFileSync(new URL(`assets/${file}`, import.meta.url), 'utf8');
    router.page('open', `/assets/${file}`, (c: Context<ApiEnv>) =>
      c.body(body, 200, { 'Content-Type': type, 'Cache-Control': 'no-cache' }),
    );
  }
}

const wordmark = '<p class="wordmark">Lectern</p>';

const notSetUp: Page = {
  title: 'Lectern',
  body: `<main class="desk">${wordmark}
    <h1>Almost there</h1>
    <p>This Lectern has no owner yet. Open the setup link that it printed on its console when it started.</p>
    <p class="quiet">The link is gone? Restart Lectern and it prints a new one.</p>
  </main>`,
};

const setup: Page = {
  title: 'Set up Lectern',
  script: 'form.js',
  body: `<main class="desk">${wordmark}
    <h1>Make it yours</h1>
    <p>Choose the name and the password that you will log in with.</p>
    <form data-action="/api/setup" data-token-from-fragment>
      <label>Name <input name="username" value="owner" autocomplete="username" autocapitalize="none" spellcheck="false" required></label>
      <label>Password <input name="password" type="password" autocomplete="new-password" minlength="8" required autofocus></label>
      <p class="quiet">Eight characters or more.</p>
      <p class="problem" role="alert" hidden></p>
      <button>Set up Lectern</button>
    </form>
  </main>`,
};

function login(asksName: boolean): Page {
  const name = `<label>Name <input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>`;
  return {
    title: 'Log in to Lectern',
    script: 'form.js',
    body: `<main class="desk">${wordmark}
      <h1>Welcome back</h1>
      <form data-action="/api/sessions">
        ${asksName ? name : ''}
        <label>Password <input name="password" type="password" autocomplete="current-password" required${asksName ? '' : ' autofocus'}></label>
        <p class="problem" role="alert" hidden></p>
        <button>Log in</button>
      </form>
    </main>`,
  };
}

function home(username: string, isOwner: boolean): Page {
  return {
    title: 'Lectern',
    script: 'form.js',
    body: `<main class="desk">${wordmark}
      <h1>Hello, ${escapeHtml(username)}</h1>
      <p>Lectern is running. What it can do by now is in its <a href="/docs">API</a>${isOwner ? ', and how it is doing in its <a href="/metrics">metrics</a>' : ''}.</p>
      <form data-action="/api/sessions" data-method="DELETE"><p class="problem" role="alert" hidden></p><button class="plain">Log out</button></form>
    </main>`,
  };
}
