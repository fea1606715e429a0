import { describe, expect, it } from 'vitest';
import { iconLinks } from './icon-links.ts';

const page = 'https://site.example/blog/';
const found = (html: string) => iconLinks(html, page);
const link = (href: string, rest = 'rel="icon"') => `<link ${rest} href="${href}">`;

describe('the icons that a page names', () => {
  it('are absolute addresses, by the base of the page where it has one', () => {
    expect(found(link('i.png'))).toEqual(['https://site.example/blog/i.png']);
    expect(found(link('/i.png', 'REL="Shortcut Icon"'))).toEqual(['https://site.example/i.png']);
    expect(found(`<base href="//cdn.example/a/">${link('i.png?a=1&amp;b=2')}`)).toEqual([
      'https://cdn.example/a/i.png?a=1&b=2',
    ]);
  });

  it('are links with the word icon or apple-touch-icon, and no others', () => {
    const others = ['mask-icon', 'stylesheet', 'fluid-icon', 'alternate', 'iconic', ''];
    expect(found(others.map((rel) => link('i.png', `rel="${rel}"`)).join(''))).toEqual([]);
    expect(found(`<a rel="icon" href="i.png">x</a><!-- ${link('i.png')} -->`)).toEqual([]);
    expect(found(link('t.png', 'rel="apple-touch-icon-precomposed"'))).toHaveLength(1);
  });

  it('begin with the one that is sharp at 32 dots and no larger than it must be', () => {
    const html = [
      link('16.png', 'rel="icon" sizes="16x16"'),
      link('512.png', 'rel="icon" sizes="512x512"'),
      link('touch.png', 'rel="apple-touch-icon"'),
      link('unknown.ico'),
      link('64.png', 'rel="icon" sizes="64x64"'),
      link('32.png', 'rel="icon" sizes="32x32"'),
      link('any.svg', 'rel="icon" type="image/svg+xml" sizes="any"'),
    ].join('');
    expect(found(html).map((url) => new URL(url).pathname.replace('/blog/', ''))).toEqual([
      '32.png',
      'any.svg',
      '64.png',
      'unknown.ico',
      'touch.png',
      '16.png',
      '512.png',
    ]);
  });

  it('go by the best of several sizes, and take the last of those that are as good', () => {
    const several = link('many.ico', 'rel="icon" sizes="16x16 32x32"');
    expect(found(link('48.png', 'rel="icon" sizes="48x48"') + several)[0]).toMatch(/many\.ico$/);
    expect(found(link('first.ico') + link('last.ico'))[0]).toMatch(/last\.ico$/);
  });

  it('have one for dark pages only when there is no other', () => {
    const dark = link('dark.svg', 'rel="icon" media="(prefers-color-scheme: dark)"');
    expect(found(dark + link('i.ico'))[0]).toMatch(/i\.ico$/);
    expect(found(dark)[0]).toMatch(/dark\.svg$/);
  });

  it('may stand in the page itself, but be nothing that is run or read from a disk', () => {
    expect(found(link('data:image/svg+xml,%3Csvg/%3E'))).toEqual(['data:image/svg+xml,%3Csvg/%3E']);
    expect(found(link('javascript:alert(1)') + link('file:///etc/passwd') + link(''))).toEqual([]);
    expect(found(link(`data:image/png,${'a'.repeat(200_000)}`))).toEqual([]);
  });

  it('are few, whatever the page says', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => link(`${n}.png`)).join('');
    expect(found(many)).toHaveLength(20);
  });
});
