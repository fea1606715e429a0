// What is wrong with a query, and why an answer is not as it was asked for, told apart by what the server says of it, so that it
// can be said in any language.
export type QueryProblem =
  | { kind: 'quote' | 'or' | 'or-not' | 'no-word' | 'too-long' }
  | { kind: 'prefix'; prefix: string };

export function queryProblem(message: string): QueryProblem | undefined {
  const prefix = /letters before the \* of "(.*)\*"/u.exec(message)?.[1];
  if (prefix !== undefined) return { kind: 'prefix', prefix };
  const kinds = [
    [/closing "/, 'quote'],
    [/a word to look for (before|after) OR/, 'or-not'],
    [/a word (before|after) OR/, 'or'],
    [/at least one word|what to search for/, 'no-word'],
    [/at most [\d,]+ (characters|words|filters)|too long|<=/i, 'too-long'],
  ] as const;
  const kind = kinds.find(([pattern]) => pattern.test(message))?.[1];
  return kind && { kind };
}

export type SearchNotice = 'off' | 'failed' | 'script' | 'titles' | 'filters';

export function searchNotice(said: string): SearchNotice | undefined {
  if (/meaning is off/i.test(said)) return 'off';
  if (/does not know this script/i.test(said)) return 'script';
  if (/^Titles are searched/i.test(said)) return 'titles';
  if (/^Filters alone/i.test(said)) return 'filters';
  return /meaning did not answer/i.test(said) ? 'failed' : undefined;
}

export type AskRefusal =
  /** `until` in seconds. */
  { kind: 'limit'; n: number; until: number } | { kind: 'notForMembers' };

/** Why the server refused a question, where it does not help to ask again in a moment. */
export function askRefusal(said: string): AskRefusal | undefined {
  const limit = /^you have asked (\d+) questions? today.* after (\d{4}-\d\d-\d\d) 00:00 UTC$/.exec(said);
  if (limit) return { kind: 'limit', n: Number(limit[1]), until: Date.parse(`${limit[2]}T00:00Z`) / 1000 };
  return /^members may not ask/.test(said) ? { kind: 'notForMembers' } : undefined;
}

export type AskNotice = 'noModel' | 'uncited' | 'cutOff' | 'byWords';

/** Several sentences may be said at once. */
export function askNotices(said: string): AskNotice[] {
  const kinds = [
    [/by meaning/i, 'byWords'],
    [/No language model/i, 'noModel'],
    [/names no passage/i, 'uncited'],
    [/cut off/i, 'cutOff'],
  ] as const;
  return kinds.filter(([pattern]) => pattern.test(said)).map(([, kind]) => kind);
}
