// What RSS 2.0 asks of a document, told anew from its specification and from what feed validators refuse:
// https://www.rssboard.org/rss-specification and https://validator.w3.org/feed/docs/rss2.html
import { parseStrictXml, type XmlElement } from './strict-xml.ts';

const namespaces: Readonly<Record<string, string>> = {
  content: 'http://purl.org/rss/1.0/modules/content/',
  dc: 'http://purl.org/dc/elements/1.1/',
  deframer: 'https://github.com/deframer/news-deframer/',
};
const channelElements = [
  'title',
  'link',
  'description',
  'language',
  'lastBuildDate',
  'generator',
  'docs',
  'item',
];
const itemElements = ['title', 'link', 'guid', 'description', 'pubDate', 'category'];
const dateForm =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
/** https://www.rssboard.org/rss-language-codes, and what BCP 47 adds to it. */
const languageForm = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

export interface RssDocument {
  readonly channel: XmlElement;
  readonly items: readonly XmlElement[];
}

/** Throws for what is not well-formed. */
export function readRss(xml: string): RssDocument {
  const root = parseStrictXml(xml);
  const channel = root.children[0];
  if (root.name !== 'rss' || !channel) throw new Error('no channel in an <rss>');
  return { channel, items: channel.children.filter(({ name }) => name === 'item') };
}

export function textOf(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

/** What is wrong with it, in sentences. */
export function rssProblems(xml: string): string[] {
  const root = parseStrictXml(xml);
  const { channel, items } = readRss(xml);
  const guids = items.map((item) => textOf(item, 'guid'));
  return [
    ...wrong(root.attributes.get('version') !== '2.0', 'the version is not 2.0'),
    ...wrong(root.children.length !== 1 || channel.name !== 'channel', 'not exactly one channel'),
    ...[...root.attributes].flatMap(([name, value]) =>
      wrong(
        name !== 'version' && namespaces[name.replace('xmlns:', '')] !== value,
        `an unknown namespace: ${name}`,
      ),
    ),
    ...channelProblems(channel),
    ...items.flatMap(itemProblems),
    ...wrong(new Set(guids).size !== guids.length, 'a guid stands there twice'),
  ];
}

function channelProblems(channel: XmlElement): string[] {
  const language = textOf(channel, 'language');
  return [
    ...['title', 'link', 'description', 'lastBuildDate'].flatMap((name) =>
      wrong((textOf(channel, name) ?? '').trim() === '', `the channel has no ${name}`),
    ),
    ...wrong(!isWebAddress(textOf(channel, 'link')), 'the link of the channel is no address'),
    ...wrong(!isDate(textOf(channel, 'lastBuildDate')), 'lastBuildDate is no date'),
    ...wrong(language !== undefined && !languageForm.test(language), `no language: ${language}`),
    ...foreign(channel, channelElements),
    ...repeated(channel, ['item']),
    ...wrong(
      channel.children.findLastIndex(({ name }) => name !== 'item') >=
        firstIndex(channel.children.findIndex(({ name }) => name === 'item')),
      'something of the channel stands behind an item',
    ),
  ];
}

function itemProblems(item: XmlElement): string[] {
  const guid = item.children.find(({ name }) => name === 'guid');
  const isPermaLink = guid?.attributes.get('isPermaLink');
  const link = textOf(item, 'link');
  const pubDate = textOf(item, 'pubDate');
  return [
    ...wrong((textOf(item, 'title') ?? '').trim() === '', 'an item without a title'),
    ...wrong(!guid || guid.text === '', 'an item without a guid'),
    ...wrong(isPermaLink !== 'true' && isPermaLink !== 'false', 'isPermaLink is neither true nor false'),
    ...wrong(isPermaLink === 'true' && !isWebAddress(guid?.text), `a permalink to nowhere: ${guid?.text}`),
    ...wrong(link !== undefined && !isWebAddress(link), `a link to nowhere: ${link}`),
    ...wrong(pubDate !== undefined && !isDate(pubDate), `no date: ${pubDate}`),
    ...foreign(item, itemElements),
    ...repeated(item),
    ...item.children.flatMap(({ name, children }) => wrong(children.length > 0, `elements within <${name}>`)),
  ];
}

function wrong(isWrong: boolean, sentence: string): string[] {
  return isWrong ? [sentence] : [];
}

function firstIndex(index: number): number {
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}

function foreign(element: XmlElement, known: readonly string[]): string[] {
  return element.children.flatMap(({ name }) => {
    const [prefix = '', local] = name.split(':');
    return wrong(
      local === undefined ? !known.includes(name) : namespaces[prefix] === undefined,
      `an unknown element: ${name}`,
    );
  });
}

function repeated(element: XmlElement, allowed: readonly string[] = []): string[] {
  const names = element.children.map(({ name }) => name).filter((name) => !allowed.includes(name));
  return wrong(new Set(names).size !== names.length, `an element of <${element.name}> stands there twice`);
}

function isWebAddress(text: string | undefined): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/i.test(text ?? '') && URL.canParse(text ?? '');
}

/** RFC 822 with a year of four digits, of a day that exists and is that day of the week. */
function isDate(text: string | undefined): boolean {
  return dateForm.test(text ?? '') && new Date(text ?? '').toUTCString() === text;
}
