import { describe, expect, it } from 'vitest';
import { isKept, pageOf } from '../../web/src/offline/what-is-kept.ts';

const url = (path: string) => new URL(path, 'http://here.example');

describe('without the server', () => {
  it.each([
    '/api/feeds',
    '/api/items?view=brief&unread=true',
    '/api/items/7',
    '/api/items/7/content',
    '/api/bookmarks/3/content',
    '/api/v1/items?include=details&limit=50',
    '/api/v1/items/7/content',
    '/api/v1/collections',
    '/api/annotations?item_id=7&limit=200',
  ])('%s can be read as it was', (path) => expect(isKept(url(path))).toBe(true));

  it.each([
    '/api/tokens',
    '/api/users',
    '/api/feeds/refresh/events',
    '/api/v1/jobs/events',
    '/api/sessions',
    '/metrics',
    '/api/v1/search?q=a',
    '/api/v1/items/events',
    '/api/highlights/export?format=json',
    '/api/research/config',
    '/api/v1/items/7/thumbnail',
  ])('%s is left alone', (path) => expect(isKept(url(path))).toBe(false));

  it('the reader opens, and the login does not pretend to work', () => {
    expect(pageOf('/')).toBe('/');
    expect(pageOf('/library')).toBe('/library');
    expect(pageOf('/login')).toBeUndefined();
  });
});
