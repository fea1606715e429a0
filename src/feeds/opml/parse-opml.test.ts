import { describe, expect, it } from 'vitest';
import { Invalid } from '../../errors.ts';
import { opmlLimits } from './limits.ts';
import { parseOpml } from './parse-opml.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseOpml({ bytes: bytesOf(text) });
const file = (body: string) => `<opml version="2.0"><head/><body>${body}</body></opml>`;
const feed = (link: string, more = '') => `<outline type="rss" text="T" xmlUrl="${link}"${more}/>`;
const one = (body: string) => parse(file(body)).feeds[0];
const linksOf = (body: string) => parse(file(body)).feeds.map(({ link }) => link);

it('reads feeds with their names, sites and groups', () => {
  const found = parse(`<?xml version="1.0" encoding="UTF-8"?>
    <!-- from a reader -->
    <opml version="1.1">
      <head><title>Mine</title></head>
      <body>
        <outline text="Top" type="rss" xmlUrl="https://top.example/feed" htmlUrl="https://top.example/"/>
        <outline text="Tech" title="Tech">
          <outline text="Rust" title="Rust" type="rss" xmlUrl="https://rust.example/feed"/>
          <outline text="Databases"><outline text="SQL" type="rss" xmlUrl="https://sql.example/rss"></outline></outline>
        </outline>
      </body>
    </opml>`);
  expect(found).toEqual({
    groups: ['Tech', 'Tech / Databases'],
    feeds: [
      { link: 'https://top.example/feed', name: 'Top', siteUrl: 'https://top.example/', group: null },
      { link: 'https://rust.example/feed', name: 'Rust', siteUrl: '', group: 'Tech' },
      { link: 'https://sql.example/rss', name: 'SQL', siteUrl: '', group: 'Tech / Databases' },
    ],
    errors: [],
    warnings: [],
  });
});

describe('a feed', () => {
  it.each([
    ['no type', '<outline text="T" xmlUrl="https://a.example/"/>'],
    ['any type', '<outline type="HTML+XPath" text="T" xmlUrl="https://a.example/"/>'],
    ['xmlurl', '<outline text="T" xmlurl="https://a.example/"/>'],
    ['XmlUrl, in a tag of any case', '<OUTLINE Text="T" XmlUrl="https://a.example/"/>'],
    ['url, as old podcast lists have it', '<outline type="rss" text="T" url="https://a.example/"/>'],
    ['single quotes', "<outline text='T' xmlUrl='https://a.example/'/>"],
    ['line breaks', '<outline\n\ttext="T"\n\txmlUrl="https://a.example/"\n></outline>'],
  ])('may be written with %s', (_what, outline) => {
    expect(one(outline)).toEqual({ link: 'https://a.example/', name: 'T', siteUrl: '', group: null });
  });

  it.each([
    ['feed://a.example/rss', 'http://a.example/rss'],
    ['feed:https://a.example/rss', 'https://a.example/rss'],
    ['feed://https://a.example/rss', 'https://a.example/rss'],
    ['itpc://a.example/rss', 'http://a.example/rss'],
    ['a.example/rss', 'https://a.example/rss'],
    ['//a.example:8080/rss', 'https://a.example:8080/rss'],
    ['a.example:8080', 'https://a.example:8080/'],
    [' https://a.example/rss#top ', 'https://a.example/rss'],
    ['HTTPS://A.Example', 'https://a.example/'],
    ['https://a.example/?a=1&amp;b=2', 'https://a.example/?a=1&b=2'],
    ['https://a.example/?a=1&b=2', 'https://a.example/?a=1&b=2'],
    ['http://intranet/feed', 'http://intranet/feed'],
    ['http://127.0.0.1/feed', 'http://127.0.0.1/feed'],
    ['https://пример.example/я', 'https://xn--e1afmkfd.example/%D1%8F'],
  ])('has the address %s', (written, link) => {
    expect(linksOf(feed(written))).toEqual([link]);
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', '/feed.xml', 'not an address', 'ftp://a.example/'])(
    'is reported when its address is none: %s',
    (written) => {
      const { feeds, errors } = parse(file(feed(written) + feed('https://b.example/')));
      expect(errors).toEqual([{ link: written, error: 'expected an http(s) address' }]);
      expect(feeds).toHaveLength(1);
    },
  );

  it('is reported when its address is missing, or too long to keep', () => {
    const long = `https://a.example/${'ж'.repeat(1_000)}`;
    const { errors } = parse(file(`<outline type="rss" text="Lost"/>${feed(long)}`));
    expect(errors).toEqual([
      { link: 'Lost', error: 'it has no address' },
      { link: long.slice(0, 200), error: 'expected an http(s) address' },
    ]);
  });

  it.each([
    ['text', 'text="A" title="B"', 'A'],
    ['title where there is no text', 'title="B"', 'B'],
    ['title where text is the address', 'text="https://a.example/" title="B"', 'B'],
    ['nothing', 'text="  "', ''],
    ['its entities', 'text="&Eacute;t&eacute; &amp; &#8220;hiver&#x201d; &lt;b&gt;"', 'Été & “hiver” <b>'],
    ['one line', 'text="a&#10;b\tc&#0;"', 'a b c\ufffd'],
  ])('is named by %s', (_what, names, name) => {
    expect(one(`<outline ${names} xmlUrl="https://a.example/"/>`)?.name).toBe(name);
  });

  it('has a name that is cut to what can be kept, between characters', () => {
    expect(one(`<outline text="${'a'.repeat(499)}\u{1f4da}b" xmlUrl="https://a.example/"/>`)?.name).toBe(
      'a'.repeat(499),
    );
  });

  it('in two folders is in the first, which is said', () => {
    const { feeds, warnings, groups } = parse(
      file(
        `<outline text="A">${feed('https://a.example/')}</outline><outline text="B">${feed('https://a.example/#x')}</outline>${feed('https://a.example/')}`,
      ),
    );
    expect(feeds.map(({ group }) => group)).toEqual(['A']);
    expect(groups).toEqual(['A', 'B']);
    expect(warnings).toEqual([
      'https://a.example/ is in more than one folder: it goes to "A", not to "B"',
      'https://a.example/ is in more than one folder: it goes to "A", not to the default group',
    ]);
  });

  it('twice in one folder is one, which is said', () => {
    const { feeds, warnings } = parse(file(feed('https://a.example/').repeat(2)));
    expect(feeds).toHaveLength(1);
    expect(warnings).toEqual(['https://a.example/ is in the file more than once']);
  });

  it('that has others in it stands beside them', () => {
    const { feeds, groups } = parse(
      file(
        `<outline text="A"><outline text="T" xmlUrl="https://a.example/">${feed('https://b.example/')}</outline></outline>`,
      ),
    );
    expect(feeds.map(({ group }) => group)).toEqual(['A', 'A']);
    expect(groups).toEqual(['A']);
  });

  it.each([
    ['Tech,News', 'Tech', ['https://a.example/ has several categories: it goes to "Tech"']],
    ['/Tech/Databases', 'Tech / Databases', []],
    [' Tech/Databases/', 'Tech / Databases', []],
    ['/,Tech', 'Tech', []],
    [',/,', null, []],
  ])('in no folder goes by its category: %s', (category, group, warnings) => {
    const found = parse(file(feed('https://a.example/', ` category="${category}"`)));
    expect(found.feeds[0]?.group).toBe(group);
    expect(found.groups).toEqual(group === null ? [] : [group]);
    expect(found.warnings).toEqual(warnings);
  });

  it('in a folder stays there, whatever its category', () => {
    const inner = feed('https://a.example/', ' category="/Elsewhere"');
    expect(parse(file(`<outline text="A">${inner}</outline>`)).groups).toEqual(['A']);
  });
});

describe('a folder', () => {
  const groups = (body: string) => parse(file(body)).groups;

  it('is a group when it is empty, and none when it has only folders', () => {
    expect(groups('<outline text="A"/>')).toEqual(['A']);
    expect(groups('<outline text="A"><outline title="B"/></outline>')).toEqual(['A / B']);
  });

  it('that stands there twice is one group', () => {
    const body = (link: string) => `<outline text="A">${feed(link)}</outline>`;
    expect(groups(body('https://a.example/') + body('https://b.example/'))).toEqual(['A']);
  });

  it('without a name is as if it were not there', () => {
    expect(one(`<outline text="A"><outline>${feed('https://a.example/')}</outline></outline>`)?.group).toBe(
      'A',
    );
    expect(groups(`<outline>${feed('https://a.example/')}</outline>`)).toEqual([]);
  });

  it('with a slash in its name is told from a folder in a folder', () => {
    expect(groups('<outline text="A / B"/><outline text="A"><outline text="B"/></outline>')).toEqual([
      'A // B',
      'A / B',
    ]);
  });

  it('whose name is too long has it cut, which is said', () => {
    const { groups, warnings } = parse(
      file(`<outline text="${'a'.repeat(150)}"><outline text="${'b'.repeat(150)}"/></outline>`),
    );
    expect(groups[0]).toHaveLength(opmlLimits.groupNameChars);
    expect(warnings).toEqual([`a name is too long for a group: it is cut to "${groups[0]}"`]);
  });

  it('too deep for a name of its own leaves its feeds to the one above, which is said', () => {
    const deep = opmlLimits.depth + 5;
    const { feeds, warnings } = parse(
      file(
        `${'<outline text="f">'.repeat(deep)}${feed('https://a.example/')}${'</outline>'.repeat(deep)}${feed('https://b.example/')}`,
      ),
    );
    expect(feeds[0]?.group?.split(' / ')).toHaveLength(opmlLimits.depth);
    expect(feeds[1]?.group).toBeNull();
    expect(warnings).toEqual([
      `folders are nested more than ${opmlLimits.depth} deep: feeds below that are in the folder above`,
    ]);
  });

  it('is not made of a link, which is reported', () => {
    const { groups, warnings } = parse(
      file('<outline type="link" text="A" url="https://a.example/"/><outline htmlUrl="https://b.example/"/>'),
    );
    expect(groups).toEqual([]);
    expect(warnings).toEqual([
      '"A" is no feed and was left out',
      '"https://b.example/" is no feed and was left out',
    ]);
  });
});

describe('a file', () => {
  const name = 'Новости';
  const written = `<opml><body><outline text="${name}" xmlUrl="https://a.example/"/></body></opml>`;
  const in1251 = (text: string) =>
    Uint8Array.from(text, (char) => {
      const code = char.charCodeAt(0);
      return code < 0x80 ? code : code - 0x410 + 0xc0;
    });
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');

  it.each<[string, Uint8Array, string?]>([
    ['UTF-8 with a mark', bytesOf(`\ufeff${written}`)],
    ['windows-1251 that says so', in1251(`<?xml version="1.0" encoding="windows-1251"?>${written}`)],
    ['windows-1251 by its header', in1251(written), 'text/xml; charset=windows-1251'],
    ['UTF-16 with a mark', utf16(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${written}`)],
    ['UTF-16 without', utf16(written)],
    ['UTF-16 the other way round', utf16(`\ufeff${written}`).swap16()],
  ])('may be in %s', (_what, bytes, contentType) => {
    expect(parseOpml({ bytes, contentType }).feeds[0]?.name).toBe(name);
  });

  it.each([
    ['without a head', '<opml version="1.0"><body><outline text="A"/></body></opml>'],
    ['without a body', '<opml><outline text="A"/></opml>'],
    ['in capitals', '<OPML><BODY><OUTLINE TEXT="A"/></BODY></OPML>'],
    ['with words before it', 'Warning: something\n<opml><body><outline text="A"/></body></opml>'],
    [
      'with comments',
      '<opml><!-- <outline text="B"/> --><body><![CDATA[<outline text="C"/>]]><outline text="A"/></body></opml>',
    ],
  ])('may be %s', (_what, text) => {
    expect(parse(text).groups).toEqual(['A']);
  });

  it.each([
    ['', 'the file is empty'],
    [' \n', 'the file is empty'],
    ['just words', 'the file is not OPML: it has no <opml> element'],
    ['{"feeds": []}', 'the file is not OPML: it has no <opml> element'],
    ['<!doctype html><html><body>', 'the file is a web page, not OPML'],
    [
      '<rss version="2.0"><channel/></rss>',
      'the file is a feed, not a list of feeds: follow its address instead',
    ],
    [
      '<feed xmlns="http://www.w3.org/2005/Atom"/>',
      'the file is a feed, not a list of feeds: follow its address instead',
    ],
    ['<outlines/>', 'the file is not OPML: it begins with <outlines>'],
    ['<__proto__/>', 'the file is not OPML: it begins with <__proto__>'],
  ])('that is none is refused: %s', (text, message) => {
    expect(() => parse(text)).toThrow(new Invalid(message));
  });

  it('without feeds is no failure', () => {
    const nothing = { groups: [], feeds: [], errors: [], warnings: [] };
    for (const text of ['<opml/>', '<opml></opml>', file('')]) expect(parse(text)).toEqual(nothing);
  });

  it('that ends in the middle gives what was there, and says so', () => {
    const { feeds, warnings } = parse(
      `<opml><body><outline text="A">${feed('https://a.example/')}<outline text="B" xmlUrl="https://b.exa`,
    );
    expect(feeds.map(({ link, group }) => [link, group])).toEqual([['https://a.example/', 'A']]);
    expect(warnings).toEqual([
      'the file ends in the middle: what was there is read, more may be missing',
      'what the file ends in was left out: <outline text="B" xmlUrl="https://b.exa',
    ]);
  });

  it.each([0.2, 0.5, 0.8])('that is cut anywhere never gives a feed that it did not have: %d', (part) => {
    const links = Array.from({ length: 20 }, (_, n) => `https://host-${n}.example/feed`);
    const whole = file(links.map((link) => feed(link)).join('\n'));
    for (let at = Math.floor(whole.length * part); at < Math.floor(whole.length * part) + 60; at++) {
      const { feeds, warnings } = parse(whole.slice(0, at));
      expect(links.slice(0, feeds.length)).toEqual(feeds.map(({ link }) => link));
      expect(warnings[0]).toMatch(/^the file ends in the middle/);
    }
  });

  it('that is several put into one is read to its end', () => {
    const text = file(feed('https://a.example/')) + file(feed('https://b.example/'));
    expect(parse(text)).toMatchObject({ feeds: { length: 2 }, warnings: [] });
    expect(parse(text.slice(0, -30)).warnings[0]).toMatch(/^the file ends in the middle/);
    const unclosed = file('<outline text="A">') + file(feed('https://b.example/'));
    expect(parse(unclosed).feeds[0]?.group).toBeNull();
  });

  it('whose folders have no end says that groups may be wrong', () => {
    expect(parse(file('<outline text="A"><outline text="B">')).warnings).toEqual([
      'some folders of the file have no end: feeds may be in another group than was meant',
    ]);
  });

  it('with too many feeds or groups, or too many bytes, is refused', () => {
    const many = (count: number, outline: (n: number) => string) =>
      file(Array.from({ length: count }, (_, n) => outline(n)).join(''));
    const message = (text: string) => {
      try {
        return String(parse(text).feeds.length);
      } catch (error) {
        return (error as Error).message;
      }
    };
    const feedAt = (n: number) => feed(`https://a.example/${n}`);
    expect(message(many(opmlLimits.feeds, feedAt))).toBe('50000');
    expect(message(many(opmlLimits.feeds + 1, feedAt))).toBe(
      'the file has more than 50000 feeds: import it in parts',
    );
    expect(message(many(opmlLimits.groups + 1, (n) => `<outline text="${n}"/>`))).toBe(
      'the file has more than 5000 groups: import it in parts',
    );
    expect(() => parseOpml({ bytes: new Uint8Array(opmlLimits.fileBytes + 1) })).toThrow(
      new Invalid('the file is larger than 20 MB'),
    );
  });
});
