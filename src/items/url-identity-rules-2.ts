// Rules 2 for which addresses are the same page. There are items with keys by them: whatever is to change here, or in
// the list of parameters, makes rules 3. docs/decisions/0015-url-identity.md says why they are what they are.
import { isTracking } from './tracking-parameters.ts';

/** The page that an address shows, without its scheme. */
export function pageByRules2(url: URL): string {
  return `${hostOf(url)}${pathOf(url)}${queryOf(url)}${fragmentOf(url)}`;
}

/** A name that ends in one dot is the same name, written out. Two dots are no name at all, and stay. */
function hostOf({ host }: URL): string {
  return host.replace(/(?<=[^.])\.(?=:|$)/, '');
}

function pathOf({ pathname }: URL): string {
  return (
    respell(pathname, inPath)
      // Of a login of Java's servlets. Behind a dot it stays: without it `..;` would become a way up.
      .replace(/(?<!\.);jsessionid=[^/;]*/gi, '')
      .replace(/\/+$/, '')
  );
}

function queryOf({ search }: URL): string {
  const pairs = search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(pair.replaceAll('+', '%20')) ?? [];
      return {
        name: respell(name, inQuery),
        // `?a` and `?a=` stay two: some programs read the one as a name and the other as an empty value.
        value: value === undefined ? '' : `=${respell(value, inValue)}`,
      };
    })
    .filter(({ name }) => !isTracking(name));
  // Pairs of one name keep their order: it may mean something.
  pairs.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return pairs.length === 0 ? '' : `?${pairs.map(({ name, value }) => `${name}${value}`).join('&')}`;
}

/** A route in the browser: `#/x`, `#!x`, and `#x/y` as in `#inbox/17`. Headings begin with a capital more often. */
const route = /^#(?:[!/]|[a-z]+\/)/;
/** An encoded document, as of playgrounds and editors. Nobody's heading is as long. */
const encoded = /^#[\w:+/.-]{128}/;
/** Here the fragment says which document it is, in few characters. */
const hostsOfDocuments = /^(?:excalidraw\.com|app\.diagrams\.net|mega\.nz)$/;

/** Else it is a place within the page. */
function fragmentOf({ hash, hostname }: URL): string {
  // What follows this mark is for the browser alone, such as the words to scroll to.
  const [fragment = ''] = hash.split(':~:', 1);
  if (/^#?!?\/?$/.test(fragment)) return '';
  const isPage = route.test(fragment) || encoded.test(fragment) || hostsOfDocuments.test(hostname);
  return isPage ? fragment : '';
}

/** How characters may be written that an address can have both as they are and as their bytes. */
interface Spelling {
  /** They mean the same either way, and are written as they are. */
  readonly plain: RegExp;
  /** They part something only when written as they are; so they stay as they came. */
  readonly parting: RegExp;
}

/** The marks behind the tilde were never more than letters; RFC 3986 reserved them, and nobody uses them so. */
const inPath: Spelling = { plain: /[\w.~!*'()-]/, parting: /[/:@&=+$,;]/ };
/** What fills in forms writes most of these as bytes, people and programs write them as they are. */
const inQuery: Spelling = { plain: /[\w.~!*()$,:@/?-]/, parting: /;/ };
const inValue: Spelling = { plain: /[\w.~!*()$,:@/?=-]/, parting: /;/ };

/** Byte by byte, since not every site writes UTF-8. A percent sign that begins no byte is one that was not escaped. */
function respell(text: string, { plain, parting }: Spelling): string {
  return text.replace(/%[\da-f]{2}|\W/gi, (written) => {
    const code = written.length === 3 ? Number.parseInt(written.slice(1), 16) : written.charCodeAt(0);
    const character = String.fromCharCode(code);
    if (plain.test(character) || (written === character && parting.test(character))) return character;
    return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
  });
}
