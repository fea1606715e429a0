// A query as somebody could have written it: parseQuery reads the same from it.
import type { SearchFilter, SearchPhrase, SearchQuery } from '../model/search.ts';

export function writeQuery({ all, none, inTitle, filters }: SearchQuery): string {
  return [
    ...all.map((group) => group.map(writePhrase).join(' OR ')),
    ...none.map((phrase) => `-${writePhrase(phrase)}`),
    ...filters.map((filter) => (filter.or ? `OR ${writeFilter(filter)}` : writeFilter(filter))),
    ...(inTitle ? ['in:title'] : []),
  ].join(' ');
}

function writePhrase({ text, startsWith }: SearchPhrase): string {
  const isWord = /^[\p{L}\p{N}]+$/u.test(text) && text !== 'OR';
  return (isWord ? text : `"${text}"`) + (startsWith ? '*' : '');
}

function writeFilter({ name, value, not }: SearchFilter): string {
  return `${not ? '-' : ''}${name}:${/^\S+$/u.test(value) ? value : `"${value}"`}`;
}
