import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../../test/support/depth.ts';
import { readXml, readXmlCounting } from './read-xml.ts';
import { markupOf, type XmlElement } from './xml-element.ts';

const markup = (xml: string) => markupOf(readXml(xml));
const first = (xml: string) => readXml(xml).children.find((child) => typeof child !== 'string') as XmlElement;

it.each<[what: string, xml: string, tree: string]>([
  ['a tree', '<a b="c"><d/>e</a>', '<a b="c"><d></d>e</a>'],
  ['names in lower case', '<A Bc="D"></a>', '<a bc="D"></a>'],
  ['attributes of any quoting', `<a b='c"' d=e f="g>h"/>`, '<a b="c&quot;" d="e" f="g&gt;h"></a>'],
  ['attributes without a value', '<a b c="d">', '<a c="d"></a>'],
  ['an attribute with a bracket', '<a b="c<d" e="f"/>', '<a b="c&lt;d" e="f"></a>'],
  ['an attribute without its end', '<a b="c>d</a><e>f</e>', '<a b="c">d</a><e>f</e>'],
  ['references', '<a b="&lt;&#65;">&amp;&#x42;&eacute;</a>', '<a b="&lt;A">&amp;Bé</a>'],
  ['ampersands', '<a>b & c&d &;</a>', '<a>b &amp; c&amp;d &amp;;</a>'],
  ['CDATA', '<a><![CDATA[<b>&amp;]]></a>', '<a>&lt;b&gt;&amp;amp;</a>'],
  ['comments', '<a>b<!-- <c> -->d</a>', '<a>bd</a>'],
  ['processing instructions', '<?xml version="1.0"?><a><?php x ?>b</a>', '<a>b</a>'],
  ['stray brackets', '<a>1 < 2 <3 <</a>', '<a>1 &lt; 2 &lt;3 &lt;</a>'],
  ['tags that are not closed', '<a><b>c</a><d>', '<a><b>c</b></a><d></d>'],
  ['ends without a beginning', '<a></b>c</a></d>', '<a>c</a>'],
  ['an end tag that is cut', '<a>b</a', '<a>b</a>'],
  ['a start tag that is cut', '<a>b<c d="e', '<a>b<c d="e"></c></a>'],
  ['HTML elements without content', '<a><br>b<hr>c</a>', '<a><br>b<hr>c</a>'],
  ['declared entities', '<!DOCTYPE a [<!ENTITY b "c&#33;"><!ENTITY b "no">]><a>&b;</a>', '<a>c!</a>'],
  ['entities of entities', `<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d '&b;&b;'>]><a>&d;</a>`, '<a>cc</a>'],
  ['a document type with brackets in quotes', '<!DOCTYPE a [<!ENTITY b "]>">]><a>&b;</a>', '<a>]&gt;</a>'],
  [
    'nothing of a second document type',
    '<!DOCTYPE a><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    ']&gt;<a>&amp;b;</a>',
  ],
])('reads %s', (_what, xml, tree) => {
  expect(markup(xml)).toBe(tree);
});

describe('a namespace', () => {
  it.each<[what: string, xml: string, ns: string]>([
    ['is known by its address', '<x:a xmlns:x="http://purl.org/dc/elements/1.1/"/>', 'dc'],
    ['is known in any case', '<x:a xmlns:x="HTTP://PURL.ORG/dc/elements/1.1/"/>', 'dc'],
    ['is taken from its prefix when it is not declared', '<media:a/>', 'media'],
    [
      'is nobody’s when a known prefix stands for another',
      '<dc:a xmlns:dc="http://odd.example/"/>',
      'http://odd.example/',
    ],
    ['is empty for RSS', '<rss xmlns="http://backend.userland.com/rss2"/>', ''],
    ['does not matter for the root of a feed', '<rss xmlns="http://odd.example/"/>', ''],
    ['is its own for anything else', '<a xmlns="http://odd.example/"/>', 'http://odd.example/'],
  ])('%s', (_what, xml, ns) => {
    expect(first(xml).ns).toBe(ns);
  });
});

describe('a prefix', () => {
  it('means what the innermost open element says, and what it meant before once that is closed', () => {
    const dc = 'xmlns:x="http://purl.org/dc/elements/1.1/"';
    const media = 'xmlns:x="http://search.yahoo.com/mrss/"';
    const root = first(`<a ${dc}><b ${media}><x:c/></b><x:d/><e ${media}/><x:f/></a><x:g/>`);
    const names = (element: XmlElement): string[] =>
      element.children.flatMap((child) =>
        typeof child === 'string' ? [] : [`${child.ns}:${child.name}`, ...names(child)],
      );
    expect(names(root)).toEqual([':b', 'media:c', 'dc:d', ':e', 'dc:f']);
  });
});

describe('reading', () => {
  const declaring = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
    .map((prefixes) => `<e${prefixes.map((prefix, n) => ` xmlns:${prefix}${n}="u"`).join('')}>`);
  const fragment = fc.oneof(
    declaring,
    fc.constantFrom(
      ...[
        '<item>',
        '</item>',
        '<content>',
        '</x>',
        `</${'n'.repeat(190)}>`,
        '<b xmlns:q=""/>',
        '<a b="<',
        "<a b='",
      ],
      ...[
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '<!x>',
        '<?x?>',
        '<',
        '&amp;',
        '&lt',
        'text',
        '"',
        '<br>',
        '<p/>',
      ],
    ),
  );
  const fragments = fc.array(fragment, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));

  it('takes twice the steps for twice the document, whatever is repeated in it', () => {
    fc.assert(
      fc.property(fragments, fragments, (before, repeated) => {
        const steps = (times: number) =>
          readXmlCounting(before.repeat(40) + repeated.repeat(times)).steps -
          readXmlCounting(before.repeat(40)).steps;
        expect(steps(200)).toBeLessThanOrEqual(2.1 * steps(100) + 2_000);
      }),
      propertyRuns(100),
    );
  });
});
