// Where somebody is among their highlights, and the address that says so: /highlights?source=kindle&color=pink,
// /highlights?view=deleted, /highlights?view=sources.
export const views = ['all', 'deleted', 'sources'] as const;
export type View = (typeof views)[number];

export interface Filters {
  readonly source: string | null;
  /** A colour as its source calls it, or "none". */
  readonly color: string | null;
  readonly resource: number | null;
  /** Days, such as 2026-03-12; both count. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface Place extends Filters {
  readonly view: View;
}

export const noFilters: Filters = { source: null, color: null, resource: null, from: null, to: null };

const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** What makes no sense is left out: an address can be typed by anybody. */
export function parsePlace(search: string): Place {
  const values = new URLSearchParams(search);
  const view = values.get('view');
  const day = (name: string) => {
    const text = values.get(name);
    return isDay(text) ? text : null;
  };
  const resource = values.get('resource') ?? '';
  return {
    view: views.find((name) => name === view) ?? 'all',
    source: values.get('source') || null,
    color: values.get('color') || null,
    resource: /^[1-9]\d{0,14}$/.test(resource) ? Number(resource) : null,
    from: day('from'),
    to: day('to'),
  };
}

export function placeHref({ view, ...filters }: Place): string {
  const values = new URLSearchParams();
  if (view !== 'all') values.set('view', view);
  else
    for (const [name, value] of Object.entries(filters)) if (value !== null) values.set(name, String(value));
  const text = values.toString();
  return text ? `/highlights?${text}` : '/highlights';
}

export const isNarrowed = (place: Filters): boolean =>
  Object.keys(noFilters).some((name) => place[name as keyof Filters] !== null);

/** The beginning of a day as it is here, or of the one after it. */
function midnight(day: string, daysOn: number): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + daysOn);
  return date.toISOString();
}

/** What is asked of the server. */
export function listQuery({
  view,
  source,
  color,
  resource,
  from,
  to,
}: Place): Record<string, string | number | null> {
  if (view === 'deleted') return { deleted: 'true' };
  return {
    source,
    color,
    resource_id: resource,
    from: from && midnight(from, 0),
    to: to && midnight(to, 1),
  };
}
