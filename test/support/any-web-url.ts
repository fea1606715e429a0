import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

const encoded = fc.string({ unit: anyCharacter }).map((text) => encodeURIComponent(text));

/** An http(s) address with a path, a query and a fragment, as `fc.webUrl`, whose first use takes almost two seconds. */
export const anyWebUrl = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.webAuthority(),
    path: fc.array(encoded).map((segments) => segments.map((segment) => `/${segment}`).join('')),
    query: fc.option(fc.array(fc.tuple(encoded, encoded))),
    fragment: fc.option(encoded),
  })
  .map(({ scheme, host, path, query, fragment }) => {
    const pairs = query?.map(([name, value]) => `${name}=${value}`).join('&');
    const search = pairs === undefined ? '' : `?${pairs}`;
    return `${scheme}://${host}${path}${search}${fragment === null ? '' : `#${fragment}`}`;
  });
