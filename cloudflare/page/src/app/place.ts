// Where somebody is, as the address says it: so back, reload and a link to a friend's own mirror all work.

export interface Place {
  readonly q: string;
  readonly tag: string;
  readonly show: { readonly id: number } | 'mirror' | undefined;
}

export function readPlace(search: string): Place {
  const parameters = new URLSearchParams(search);
  const id = Number(parameters.get('id'));
  const isId = Number.isSafeInteger(id) && id > 0;
  return {
    q: parameters.get('q') ?? '',
    tag: parameters.get('tag') ?? '',
    show: isId ? { id } : parameters.has('mirror') ? 'mirror' : undefined,
  };
}

export function writePlace({ q, tag, show }: Place): string {
  const parameters = new URLSearchParams();
  if (q) parameters.set('q', q);
  if (tag) parameters.set('tag', tag);
  if (show === 'mirror') parameters.set('mirror', '');
  else if (show) parameters.set('id', String(show.id));
  return parameters.size > 0 ? `?${parameters}` : '/';
}
