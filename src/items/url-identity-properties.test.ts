// What holds for every address, however odd.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { anyWebUrl } from '../../test/support/any-web-url.ts';
import { propertyRuns } from '../../test/support/depth.ts';
import { savedUrl } from './save-url.ts';
import { trackingFamilies, trackingParameters } from './tracking-parameters.ts';
import { keyOf, keysOf, normaliseUrl, normalizedUrlOf } from './url-identity.ts';

const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const host = oneOf(
  'example.org',
  'EXAMPLE.org.',
  'bücher.example',
  'a..',
  '1.2..',
  '127.0.0.1',
  '[::1]',
  'x.y.z',
);
const port = oneOf('', ':80', ':443', ':8080', ':');
const segment = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 5 }),
  oneOf(
    '',
    '.',
    '..',
    '%2e%2E',
    '%',
    '%%37E',
    '%7e',
    '%zz',
    '%25',
    '%E4',
    'ä',
    ';jsessionid=1',
    '..;jsessionid=1',
  ),
  oneOf(
    ';JSESSIONID=',
    'http:',
    '[x]',
    '(x)',
    '%28',
    "'",
    '%27',
    '|',
    '~',
    'index.html',
    ';v=1',
    '+',
    '%2B',
    '@',
  ),
);
const name = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 3 }),
  oneOf(
    '',
    'a',
    'b',
    'A',
    'x[]',
    'x%5b%5D',
    'utm_',
    'utm_a',
    'GCLID',
    'g%63lid',
    'utm+a',
    '%',
    '%E4',
    'ä',
    ';',
    "'",
  ),
);
const value = fc.oneof(
  fc.constant(undefined),
  fc.string({ unit: anyCharacter, maxLength: 5 }),
  oneOf(
    '',
    '=',
    '%3D',
    '+',
    '%20',
    '%2B',
    '%26',
    '%D6%D0',
    'https://b.example/?c',
    '%2f',
    ';',
    '%3b',
    '%%32',
    "'",
  ),
);
const query = fc
  .array(fc.tuple(name, value), { maxLength: 5 })
  .map((pairs) => pairs.map(([key, text]) => (text === undefined ? key : `${key}=${text}`)).join('&'));
const fragment = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  oneOf('', '/', '!', '!/', '/a', '!a', 'a/b', 'L10', ':~:text=a', '/a:~:b:~:c', '/%7e', '/ä b', '!:~:x'),
  fc.string({ minLength: 120, maxLength: 140, unit: oneOf('a', 'B', '1', ':', '-') }),
);

const composed = fc
  .record({
    scheme: oneOf('http', 'https', 'HTTPS'),
    user: oneOf('', 'user@', 'user:secret@', ':@'),
    host,
    port,
    path: fc.array(segment, { maxLength: 5 }).map((segments) => segments.map((each) => `/${each}`).join('')),
    query: fc.option(query),
    fragment: fc.option(fragment),
  })
  .map(
    (parts) =>
      `${parts.scheme}://${parts.user}${parts.host}${parts.port}${parts.path}` +
      `${parts.query === null ? '' : `?${parts.query}`}${parts.fragment === null ? '' : `#${parts.fragment}`}`,
  );
const address = fc
  .oneof(
    composed,
    composed.map((url) => `${url}${'/ä'.repeat(400)}`),
    anyWebUrl,
    fc.string({ unit: anyCharacter }).map((rest) => `https://${rest}`),
  )
  .filter(
    (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && new URL(url).hostname !== '.',
  );
const holds = <T>(property: fc.IRawProperty<T>) => fc.assert(property, propertyRuns(2_000));

it('normalising twice changes nothing', () => {
  holds(
    fc.property(address, (url) => {
      const normalised = normaliseUrl(url);
      expect(normaliseUrl(normalised)).toBe(normalised);
    }),
  );
});

it('an address and its normalised one have one key, and the same scheme', () => {
  holds(
    fc.property(address, (url) => {
      expect(keyOf(normaliseUrl(url))).toBe(keyOf(url));
      expect(new URL(normaliseUrl(url)).protocol).toBe(new URL(url).protocol);
    }),
  );
});

it('no key is too long for an index, or has anything but ASCII', () => {
  holds(
    fc.property(address, (url) => {
      for (const key of keysOf(url)) expect(key).toMatch(/^[12]:[\x21-\x7e]{1,998}$/);
    }),
  );
});

it('what is saved has the first of the keys, and is found by the others', () => {
  holds(
    fc.property(address, (url) => {
      fc.pre(/^https?:\/\/[^/]/i.test(url.trim()) && url.trim().length <= 8_000);
      const [key, ...olderKeys] = keysOf(url);
      expect(savedUrl(url)).toEqual({ url: url.trim(), key, olderKeys });
      expect(normalizedUrlOf(url, savedUrl(url).key)).toBe(normaliseUrl(url));
    }),
  );
});

it('an address written in another way is the same page', () => {
  const tracked = fc.oneof(
    oneOf(...trackingParameters),
    fc.tuple(oneOf(...trackingFamilies), oneOf('source', 'x', '1')).map((parts) => parts.join('')),
  );
  const pairs = fc.uniqueArray(fc.tuple(oneOf('a', 'b', 'c', 'id', 'ref', 'q'), oneOf('1', 'x y', 'ä', '')), {
    selector: ([key]) => key,
  });
  const shuffledWithTracking = fc
    .tuple(pairs, fc.array(fc.tuple(tracked, oneOf('', '1', 'IwAR')), { maxLength: 4 }))
    .chain(([own, added]) => {
      const all = [...own, ...added];
      return fc.tuple(
        fc.constant(own),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
      );
    });
  const write = (all: readonly (readonly [string, string])[]) =>
    all.map(([key, text]) => `${key}=${text}`).join('&');
  holds(
    fc.property(
      shuffledWithTracking,
      oneOf('', '/a', '/a/b', '/~a'),
      oneOf('http://EXAMPLE.org:80', 'https://example.ORG:443', 'https://user@example.org.'),
      oneOf('', '/', '//'),
      oneOf('', '#', '#part', '#L1-L2', '#:~:text=a,b', '#page=2', '#Section/2'),
      fc.boolean(),
      ([own, all], path, origin, slash, anchor, upper) => {
        const other = upper ? write(all.map(([key, text]) => [capitals(key), text])) : write(all);
        expect(keyOf(`${origin}${path}${slash}?${other}${anchor}`)).toBe(
          keyOf(`https://example.org${path}?${write(own)}`),
        );
      },
    ),
  );
});

/** Only what is tracking may be written in any case. */
function capitals(key: string): string {
  return trackingParameters.has(key) || trackingFamilies.some((family) => key.startsWith(family))
    ? key.toUpperCase()
    : key;
}

it('another path, another value or another parameter of its own is another page', () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9_.~-]{1,8}$/).filter((text) => !/^\.+$/.test(text));
  const own = oneOf(
    'a',
    'id',
    'v',
    'p',
    'q',
    's',
    't',
    'sid',
    'cid',
    'ref',
    'source',
    'from',
    'lang',
    'page',
  );
  const page = fc.record({ path: fc.array(word, { maxLength: 3 }), name: own, value: word });
  const write = ({ path, name: key, value: text }: { path: string[]; name: string; value: string }) =>
    `https://example.org/${path.join('/')}?${key}=${text}`;
  holds(
    fc.property(page, page, (one, other) => {
      fc.pre(write(one) !== write(other));
      expect(keyOf(write(one))).not.toBe(keyOf(write(other)));
    }),
  );
});
