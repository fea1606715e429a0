import { expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

const text = '<?xml version="1.0"?><t>Größe – 大</t>';
const utf8 = new TextEncoder().encode(text);
const latin = (written: string) => new Uint8Array(Buffer.from(written, 'latin1'));

it.each<[what: string, bytes: Uint8Array, contentType: string | null, expected: string]>([
  ['UTF-8 without a word about it', utf8, null, text],
  ['UTF-8 with a mark', new Uint8Array([0xef, 0xbb, 0xbf, ...utf8]), null, text],
  ['UTF-8 that the server calls Latin-1', utf8, 'text/xml; charset=ISO-8859-1', text],
  ['UTF-8 that the server calls ASCII', utf8, 'text/xml; charset="us-ascii"', text],
  [
    'a mark of UTF-8 against the header',
    new Uint8Array([0xef, 0xbb, 0xbf, ...utf8]),
    'text/xml; charset=utf-16',
    text,
  ],
  ['UTF-16 with a mark', new Uint8Array([0xff, 0xfe, ...Buffer.from(text, 'utf16le')]), null, text],
  ['UTF-16 without a mark', new Uint8Array(Buffer.from(text, 'utf16le')), null, text],
  [
    'Latin-1 by its declaration',
    latin('<?xml version="1.0" encoding="iso-8859-1"?>é'),
    null,
    '<?xml version="1.0" encoding="iso-8859-1"?>é',
  ],
  [
    'Windows-1252 that says UTF-8',
    latin('<?xml encoding="utf-8"?>caf\xe9 \x96 \x80'),
    null,
    '<?xml encoding="utf-8"?>café – €',
  ],
  ['Windows-1251 by the header', new Uint8Array([0xcf, 0xf0, 0xe8]), 'text/xml; charset=windows-1251', 'При'],
  [
    'KOI8-R by its declaration',
    new Uint8Array([...latin("<?xml encoding='koi8-r'?>"), 0xf0, 0xd2]),
    null,
    "<?xml encoding='koi8-r'?>Пр",
  ],
  ['Shift_JIS by the header', new Uint8Array([0x93, 0xfa, 0x96, 0x7b]), 'text/xml;charset=Shift_JIS', '日本'],
  [
    'GBK by its declaration',
    new Uint8Array([...latin('<?xml encoding="gb2312"?>'), 0xc4, 0xe3]),
    null,
    '<?xml encoding="gb2312"?>你',
  ],
  [
    'a page by its meta element',
    latin('<meta charset=iso-8859-1>\xfc'),
    'text/html',
    '<meta charset=iso-8859-1>ü',
  ],
  ['a charset that nobody knows', utf8, 'text/xml; charset=klingon', text],
  ['UTF-8 with one byte lost', new Uint8Array([...utf8, 0xe5]), null, `${text}\ufffd`],
])('decodes %s', (_what, bytes, contentType, expected) => {
  expect(decodeText({ bytes, contentType })).toBe(expected);
});
