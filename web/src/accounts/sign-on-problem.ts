import { words } from '../lib/words.ts';

const prefix = 'sso-';

/** What the address says of a sign-on that came to nothing, as a sentence. It is said once: a reload has nothing of it. */
export function takeSignOnProblem(): string {
  const url = new URL(location.href);
  const error = url.searchParams.get('error');
  if (!error?.startsWith(prefix)) return '';
  url.searchParams.delete('error');
  history.replaceState(history.state, '', url);
  const { problems } = words().accounts.signOn;
  const reason = error.slice(prefix.length);
  return Object.hasOwn(problems, reason) ? problems[reason as keyof typeof problems] : problems.failed;
}
