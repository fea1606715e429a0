import { localPath } from './local-path.js';

const form = document.querySelector('form');
const problem = form.querySelector('.problem');
const button = form.querySelector('button');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  problem.hidden = true;
  button.disabled = true;
  const failure = await send().catch(
    () => 'Lectern does not answer. Is it still running? Try again in a moment.',
  );
  button.disabled = false;
  if (failure) {
    problem.textContent = failure;
    problem.hidden = false;
  } else {
    location.assign(localPath(new URLSearchParams(location.search).get('next') ?? '/'));
  }
});

/** Resolves with what went wrong, or with nothing. */
async function send() {
  const method = form.dataset.method ?? 'POST';
  const fields = Object.fromEntries(new FormData(form));
  // The secret of the setup link stands after the #, which a browser sends to no server and no log.
  if ('tokenFromFragment' in form.dataset) fields.token = location.hash.slice(1);
  const response = await fetch(form.dataset.action, {
    method,
    ...(method === 'POST' && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    }),
  });
  if (response.ok) return undefined;
  if (response.status === 429) {
    const minutes = Math.ceil(Number(response.headers.get('Retry-After') ?? 60) / 60);
    return `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  }
  const { error } = await response.json();
  const text = typeof error === 'string' ? error : error.message;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
