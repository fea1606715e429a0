import { describe, expect, it } from 'vitest';
import { iconType } from './icon-type.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

describe('the type of an icon', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n...'],
    ['image/gif', 'GIF87a...'],
    ['image/gif', 'GIF89a...'],
    ['image/jpeg', '\xff\xd8\xff\xe0...'],
    ['image/webp', 'RIFF\x10\x00\x00\x00WEBPVP8 '],
    ['image/x-icon', '\x00\x00\x01\x00\x02\x00'],
    ['image/svg+xml', svg],
    [
      'image/svg+xml',
      `\xef\xbb\xbf<?xml version="1.0"?>\n<!-- an <svg> -->\n<!DOCTYPE svg PUBLIC "a" "b">\n${svg}`,
    ],
    ['image/svg+xml', `<!DOCTYPE svg [ <!ENTITY ns "http://a.example/"> ]>${svg}`],
  ])('is %s for %j', (type, text) => {
    expect(iconType(bytesOf(text))).toBe(type);
  });

  it.each([
    ['nothing', ''],
    ['a page', '<!doctype html><html><body>Not found</body></html>'],
    ['a page with a drawing in it', `<!doctype html><html>${svg}</html>`],
    ['a page in a comment before a drawing', `<html><!-- ${svg} -->`],
    ['an svg that no browser draws', '<svg viewBox="0 0 1 1"/>'],
    ['an element whose name begins alike', '<svgx xmlns="http://www.w3.org/2000/svg"/>'],
    ['text that is not UTF-8', `\xff${svg}`],
    ['sound in the same wrapper as WebP', 'RIFF\x10\x00\x00\x00WAVEfmt '],
    ['a cursor', '\x00\x00\x02\x00\x01\x00'],
    ['a PNG that is cut', '\x89PNG'],
    ['JSON', '{"error":"no icon"}'],
  ])('is none for %s', (_what, text) => {
    expect(iconType(bytesOf(text))).toBeUndefined();
  });
});
