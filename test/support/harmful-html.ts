// What a browser would run or load from a piece of HTML. The reader is parse5, which follows the HTML standard, and is
// no part of what it judges.
import { type defaultTreeAdapter, parseFragment, serialize } from 'parse5';

type Node = ReturnType<typeof defaultTreeAdapter.getChildNodes>[number];

const allowed = new Set(
  `a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup dd del
  details dfn dir div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i iframe img ins kbd li main
  mark nav ol p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody td
  tfoot th thead time tr track tt u ul var video wbr`.split(/\s+/),
);
const addresses = new Set([
  'href',
  'src',
  'poster',
  'cite',
  'action',
  'formaction',
  'data',
  'background',
  'xlink:href',
]);
const forbidden =
  /^(?:on|style$|class$|id$|name$|srcdoc$|background$|xlink|form|action$|data|ping$|target$|autoplay$)/;
const playerPages =
  /^https:\/\/(?:www\.youtube-nocookie\.com\/embed|player\.vimeo\.com\/video|www\.dailymotion\.com\/embed\/video)\/[\w-]+(?:\?dnt=1)?$/;

/** Read once, and read again after being written by the parser: a browser does both. */
export function harmsOf(html: string): string[] {
  const once = parseFragment(html);
  const twice = parseFragment(serialize(once));
  return [...harmsIn(once.childNodes), ...harmsIn(twice.childNodes)];
}

function harmsIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => {
    if (!('tagName' in node)) return node.nodeName === '#text' ? [] : [node.nodeName];
    const harms: string[] = [];
    if (node.namespaceURI !== 'http://www.w3.org/1999/xhtml') harms.push(`namespace ${node.namespaceURI}`);
    if (!allowed.has(node.tagName)) harms.push(`<${node.tagName}>`);
    for (const { name, value } of node.attrs) {
      if (forbidden.test(name)) harms.push(`${name}=${value}`);
      if (addresses.has(name) && !isHarmless(node.tagName, value)) harms.push(`${name}=${value}`);
      if (name === 'srcset' && /(?:^|,)\s*(?!https?:\/\/)\S/.test(value.replace(/ [\d.]+[wx]/g, ''))) {
        harms.push(`${name}=${value}`);
      }
    }
    const sandboxed = node.attrs.some(({ name }) => name === 'sandbox');
    if (node.tagName === 'iframe' && (!sandboxed || node.childNodes.length > 0)) harms.push('an open frame');
    return [...harms, ...harmsIn(node.childNodes)];
  });
}

function isHarmless(element: string, url: string): boolean {
  if (element === 'iframe') return playerPages.test(url);
  if (element === 'img' && /^data:image\/(?:png|jpe?g|gif|webp|avif);base64,[\w+/=]+$/.test(url)) return true;
  return element === 'a'
    ? /^(?:https?|mailto|tel|magnet|gemini|ftp|xmpp|irc):/.test(url)
    : /^https?:\/\//.test(url);
}
