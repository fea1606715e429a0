// Where a login leads to, by password or by single sign-on: never to another site, whatever stands in the address.
import { describe, expect, it } from 'vitest';
import { localPath as onTheServer } from '../../src/api/local-path.ts';
import { localPath as inTheBrowser } from '../../web/src/lib/local-path.ts';

const here = 'https://here.example';

/** `e` stands for a host of somebody else. */
const elsewhere = [
  '//e',
  '///e',
  '////e',
  '/\\e',
  '\\/e',
  '\\\\e',
  '\\e',
  '/\\/e',
  '\\/\\/e',
  '/\\\\e',
  '//\\e',
  '/.//e',
  '/./\\e',
  '/..//e',
  '/a/..//e',
  '/a/../\\e',
  '/%2e//e',
  '/%2e%2e//e',
  './/e',
  '..//e',
  './/\\e',
  '/\t/e',
  '/\n/e',
  '/\r/e',
  '/\r\n/e',
  '\t//e',
  '\n//e',
  ' //e',
  '\0//e',
  '\u0001//e',
  '/\t\\e',
  '\\\t\\e',
  '/%09/e',
  '/%0a/e',
  '/%0d%0a/e',
  '/%5ce',
  '%2f%2fe',
  '/%2fe',
  '%5c%5ce',
  'https:e',
  'https:/e',
  'https:\\e',
  'https://e',
  'https:///e',
  'http:e',
  'http:/e',
  'http://e',
  'http:\\\\e',
  'HTTPS://e',
  'h\nttps://e',
  'ht\ttp://e',
  ' https://e',
  'ftp://e',
  'ws://e',
  'file:///e',
  '//e@here.example',
  '//here.example@e',
  '//here.example:443@e',
  '//here.example.e',
  '//here.invalid@e',
  '//here.invalid:80@e',
  '//here.invalid.e',
  '//here.invalid//e',
  'http://here.invalid//e',
  'http://here.invalid/\\e',
  'http://here.invalid:80//e',
  'http://here.invalid:81/',
  'https://here.invalid/',
  '//e/%2e%2e',
  '//e?x',
  '//e#x',
  '?//e',
  '#//e',
  '/?next=//e',
  '//[::1]',
  '//1',
  '//%65',
  '//ｅ',
  '／／e',
  '〱//e',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  ' javascript:alert(1)',
  '\u0000javascript:alert(1)',
  'javascript://here.example/%0aalert(1)',
  'javascript://here.invalid/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://e/1',
  'blob:http://here.invalid/1',
  'blob:http://here.invalid//e',
  'filesystem:http://here.invalid/1',
  'about:blank',
  'mailto:e@e',
  'view-source:https://e',
  'intent://e#Intent;end',
  'x:',
  ':',
  '',
  'http://',
  '//',
  'https://[',
];

const rules = {
  'the web app': inTheBrowser,
  'the server': (wanted: string | null) => onTheServer(wanted ?? undefined),
};

describe.each(Object.entries(rules))('after the login, %s', (_who, localPath) => {
  it.each(elsewhere.map((wanted) => [JSON.stringify(wanted), wanted]))('%s stays here', (_shown, wanted) => {
    const path = localPath(wanted);
    expect(path).toMatch(/^\/(?![/\\])/);
    const reached = new URL(path, `${here}/login?next=x`);
    expect(reached.origin).toBe(here);
    expect(reached.protocol).toBe('https:');
  });

  it.each([
    ['/', '/'],
    ['/docs', '/docs'],
    ['/a/b?c=d#e', '/a/b?c=d#e'],
    ['/search?q=//x', '/search?q=//x'],
    ['docs', '/docs'],
    ['/a/../docs', '/docs'],
    ['/ä ö', '/%C3%A4%20%C3%B6'],
  ])('%s leads to %s', (wanted, path) => {
    expect(localPath(wanted)).toBe(path);
  });

  it('an address that names no place leads to the front page', () => {
    expect(localPath(null)).toBe('/');
  });
});
