// What a filter is called on its chip and in the list of facets.
import { currentLanguage } from '../lib/words.ts';
import type { FacetName } from './facet-filter.ts';
import type { Chip, Filter } from './query-text.ts';
import { searchWords } from './words.ts';

/** The name of a feed, where it is known by now. */
export type FeedName = (id: string) => string | undefined;

function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames([currentLanguage()], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** From 12 Mar 2026, or before it; of `7d` and `2w`, what is younger or older than that. */
function rangeName(name: 'after' | 'before', value: string): string {
  const t = searchWords().chips;
  const [, count, unit] = /^(\d+)([dw])$/i.exec(value) ?? [];
  if (!count) return t[name](dateName(value));
  return (name === 'after' ? t.last : t.older)[unit?.toLowerCase() === 'w' ? 'w' : 'd'](Number(count));
}

function dateName(value: string): string {
  const t = searchWords().chips;
  if (value.toLowerCase() === 'today') return t.today;
  const [, year, month, day] = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(value) ?? [];
  if (!year) return value;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1)));
  return new Intl.DateTimeFormat(currentLanguage() === 'en' ? 'en-GB' : currentLanguage(), {
    timeZone: 'UTC',
    ...(day && { day: 'numeric' }),
    month: 'short',
    year: 'numeric',
  }).format(date);
}

function nameOf({ name, value }: Filter, feedName: FeedName): string {
  const t = searchWords().chips;
  const lower = value.toLowerCase();
  const names: Record<Filter['name'], () => string> = {
    tag: () => t.tag(value),
    site: () => value,
    feed: () => t.feed(feedName(value) ?? value),
    kind: () => (t.kind as Record<string, string>)[lower] ?? value,
    author: () => t.author(value),
    lang: () => languageName(lower),
    after: () => rangeName('after', value),
    before: () => rangeName('before', value),
    is: () => (t.is as Record<string, string>)[lower] ?? value,
    in: () => t.title,
  };
  return names[name]();
}

export function chipLabel({ filters: [filter], year }: Chip, feedName: FeedName): string {
  if (year) return year;
  if (!filter) return '';
  const label = nameOf(filter, feedName);
  if (!filter.not) return label;
  // What something is stands within the sentence; names keep their letters.
  const within = filter.name === 'is' ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  return searchWords().chips.not(within);
}

export function facetLabel(name: FacetName, { value, label }: { value: string; label?: string }): string {
  if (label !== undefined) return label;
  if (name === 'kind') return (searchWords().chips.kind as Record<string, string>)[value] ?? value;
  return name === 'lang' ? languageName(value) : value;
}
