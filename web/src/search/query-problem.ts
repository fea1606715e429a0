// What is wrong with a query, told apart by what the server says of it, so that it can be said in any language.
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
    [/at most [\d,]+ (characters|words)|too long|<=/i, 'too-long'],
  ] as const;
  const kind = kinds.find(([pattern]) => pattern.test(message))?.[1];
  return kind && { kind };
}
