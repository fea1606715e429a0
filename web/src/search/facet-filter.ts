// What a click on a facet does to the query.
import { type Filter, hasFilter, toggled, toggledYear, withFilter, yearIn } from './query-text.ts';

export const facetNames = ['kind', 'site', 'tag', 'feed', 'lang', 'year'] as const;
export type FacetName = (typeof facetNames)[number];

export type FacetState = 'in' | 'out' | 'free';

const filterOf = (name: Exclude<FacetName, 'year'>, value: string, not: boolean): Filter => ({
  name,
  value,
  not,
});

export function facetState(text: string, name: FacetName, value: string): FacetState {
  if (name === 'year') return yearIn(text) === value ? 'in' : 'free';
  if (hasFilter(text, filterOf(name, value, false))) return 'in';
  return hasFilter(text, filterOf(name, value, true)) ? 'out' : 'free';
}

/** Adds the filter, or takes it away where it is. */
export const withFacet = (text: string, name: FacetName, value: string): string =>
  name === 'year' ? toggledYear(text, value) : toggled(text, filterOf(name, value, false));

/** Dates are one range, so that a year cannot be left out of the middle. */
export const canLeaveOut = (name: FacetName, value: string): boolean => name !== 'year' && canFilter(value);

/** A quote cannot stand in a query. */
export const canFilter = (value: string): boolean => value.trim() !== '' && !value.includes('"');

export function withoutFacet(text: string, name: FacetName, value: string): string {
  if (name === 'year') return text;
  const filter = filterOf(name, value, true);
  return hasFilter(text, filter) ? toggled(text, filter) : withFilter(text, filter);
}
