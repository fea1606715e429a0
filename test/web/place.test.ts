import { expect, test } from 'vitest';
import { type Place, parsePlace, placeHref } from '../../web/src/reader/place.ts';

const places: [string, Place][] = [
  ['/', { scope: { kind: 'home' }, article: null }],
  ['/?view=unread', { scope: { kind: 'unread' }, article: null }],
  ['/?view=all', { scope: { kind: 'all' }, article: null }],
  ['/?view=bookmarks', { scope: { kind: 'bookmarks' }, article: null }],
  ['/?feed=12', { scope: { kind: 'feed', id: 12 }, article: null }],
  ['/?group=3', { scope: { kind: 'group', id: 3 }, article: null }],
  ['/?entry=345', { scope: { kind: 'home' }, article: { kind: 'entry', id: 345 } }],
  ['/?feed=12&entry=345', { scope: { kind: 'feed', id: 12 }, article: { kind: 'entry', id: 345 } }],
  ['/?view=bookmarks&bookmark=6', { scope: { kind: 'bookmarks' }, article: { kind: 'bookmark', id: 6 } }],
];

test('a place and its address lead to each other', () => {
  for (const [href, place] of places) {
    expect(placeHref(place)).toBe(href);
    expect(parsePlace(new URL(href, 'http://here').search)).toEqual(place);
  }
});

test('an address that makes no sense leads home', () => {
  for (const search of [
    '?feed=',
    '?feed=-1',
    '?feed=1e3',
    '?group=abc',
    '?view=elsewhere',
    '?entry=0',
    '?feed=0x12',
  ])
    expect(parsePlace(search)).toEqual({ scope: { kind: 'home' }, article: null });
});
