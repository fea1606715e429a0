import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseErrorCode, parseListing } from './s3-list-xml.ts';

const contents = (key: string) =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;x&quot;</ETag>` +
  '<Size>12</Size><Owner><ID>1</ID><DisplayName>Key</DisplayName></Owner><StorageClass>STANDARD</StorageClass></Contents>';
const list = (inner: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
  `<Name>b</Name><Prefix/><IsTruncated>false</IsTruncated>\n${inner}</ListBucketResult>\n`;
const keysOf = (xml: string) => parseListing(xml).objects.map(({ key }) => key);

describe("the XML of S3's listing", () => {
  it('gives keys, sizes and times', () => {
    expect(parseListing(list(contents('a/b') + contents('c')))).toEqual({
      objects: [
        { key: 'a/b', sizeBytes: 12, modifiedAt: Date.UTC(2026, 0, 1) },
        { key: 'c', sizeBytes: 12, modifiedAt: Date.UTC(2026, 0, 1) },
      ],
    });
    expect(parseListing(list(''))).toEqual({ objects: [] });
  });

  it('decodes entities, named and numbered, once', () => {
    expect(keysOf(list(contents('a&amp;b&lt;&gt;&quot;&apos;&#65;&#x1F642;&amp;lt;')))).toEqual([
      'a&b<>"\'A🙂&lt;',
    ]);
  });

  it('decodes keys from the URL encoding when the server says that it used it', () => {
    expect(keysOf(list(`<EncodingType>url</EncodingType>${contents('a%2Fb+%C3%A4')}`))).toEqual(['a/b ä']);
    expect(keysOf(list(contents('a%2Fb+c')))).toEqual(['a%2Fb+c']);
  });

  it.each([
    ['an entity of its own', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><ListBucketResult/>'],
    ['an unknown entity', list(contents('&evil;'))],
    ['a number beyond Unicode', list(contents('&#x110000;'))],
    ['tags that cross', list('<Contents><Key>a</Contents></Key>')],
    ['an object without a key', list('<Contents><Size>1</Size></Contents>')],
    ['a size that is none', list(contents('a').replace('12', '-1'))],
    ['a date that is none', list(contents('a').replace('2026-01', 'never'))],
    ['two roots', list('') + list('')],
    ['an error', '<Error><Code>NoSuchBucket</Code></Error>'],
    ['a comment', list('<!-- x -->')],
    ['a loose bracket', list('< Key>')],
  ])('is refused with %s', (_, xml) => {
    expect(() => parseListing(xml)).toThrow();
  });

  it('is refused wherever it is cut off', () => {
    const whole = list(contents('a') + contents('b')).trimEnd();
    for (let length = 0; length < whole.length; length++) {
      expect(() => parseListing(whole.slice(0, length))).toThrow();
    }
    expect(keysOf(whole)).toEqual(['a', 'b']);
  });

  it('gives back any key that a server escapes', () => {
    const escaped = (text: string) =>
      text.replace(/[&<>"']|[^\x20-\x7e]/gu, (character) => `&#${character.codePointAt(0)};`);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (keys) => {
        expect(keysOf(list(keys.map((key) => contents(escaped(key))).join('')))).toEqual(keys);
      }),
    );
  });

  it('takes time in proportion to its length', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `key-${i}`);
    expect(keysOf(list(keys.map(contents).join('')))).toEqual(keys);
  });
});

describe("the XML of S3's errors", () => {
  it.each([
    [
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>m</Message></Error>',
      'NoSuchKey',
    ],
    ['<Error xmlns="x">\n  <Code>AccessDenied</Code></Error>', 'AccessDenied'],
    ['<html><Code>NoSuchKey</Code></html>', undefined],
    ['<Error><Code>two words</Code></Error>', undefined],
    ['', undefined],
  ])('gives the code of %j', (xml, code) => {
    expect(parseErrorCode(xml)).toBe(code);
  });
});
