// Images as they are found behind addresses that promise one, made by code: every kind that browsers show, and what is
// sent by mistake or in bad faith.
import { randomFillSync } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

export interface OddImage {
  readonly name: string;
  readonly bytes: () => Promise<Uint8Array> | Uint8Array;
  /** Whether a thumbnail is made of it. For a few, both are right. */
  readonly gives: 'picture' | 'none' | 'either';
}

const picture = (name: string, bytes: OddImage['bytes']): OddImage => ({ name, bytes, gives: 'picture' });
const none = (name: string, bytes: OddImage['bytes']): OddImage => ({ name, bytes, gives: 'none' });
const either = (name: string, bytes: OddImage['bytes']): OddImage => ({ name, bytes, gives: 'either' });

/** Red on the left and blue on the right, so that it is seen which way up it is. */
export function scene(width = 640, height = 480): Sharp {
  const half = { width: Math.max(1, Math.round(width / 2)), height, channels: 3 as const };
  return sharp({ create: { width, height, channels: 3, background: '#2040e0' } }).composite([
    { input: { create: { ...half, background: '#e02020' } }, left: 0, top: 0 },
  ]);
}

const jpeg = (width?: number, height?: number) => scene(width, height).jpeg().toBuffer();
const png = (width?: number, height?: number) => scene(width, height).png().toBuffer();
const text = (written: string) => () => Buffer.from(written);
const cut = (whole: Promise<Buffer>, part: number) => async () => {
  const bytes = await whole;
  return bytes.subarray(0, Math.floor(bytes.length * part));
};
/** One frame of each colour. */
export async function movingScene(width = 400, height = 300): Promise<Sharp> {
  const frames = ['#e02020', '#2040e0', '#20c040'].map((background) =>
    sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(frames), { join: { animated: true } });
}
const noise = (width: number, height: number) =>
  sharp(randomFillSync(Buffer.alloc(width * height * 3)), { raw: { width, height, channels: 3 } });
const svg = (inside: string, attributes = 'width="400" height="300"', before = '') =>
  text(`${before}<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);
const rect = '<rect width="400" height="300" fill="#e02020"/>';

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Says that it is so large, and holds as many zeros as are given. */
export function pngOf(width: number, height: number, pixelBytes: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(pixelBytes), { level: 9 })),
    pngChunk('IEND', new Uint8Array()),
  ]);
}

function gifOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(
    'GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\0\0\0\0\0\x02\x02D\x01\0;',
    'latin1',
  );
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  bytes.writeUInt16LE(width, 24);
  bytes.writeUInt16LE(height, 26);
  return bytes;
}

/** The size that its header gives is written over. */
async function jpegThatSays(width: number, height: number): Promise<Buffer> {
  const bytes = await jpeg();
  const frame = bytes.findIndex(
    (byte, at) => byte === 0xff && /[\xc0\xc2]/.test(String.fromCharCode(bytes[at + 1] ?? 0)),
  );
  bytes.writeUInt16BE(height, frame + 5);
  bytes.writeUInt16BE(width, frame + 7);
  return bytes;
}

const entityBomb = `<!DOCTYPE svg [<!ENTITY a0 "ha">${Array.from(
  { length: 30 },
  (_, n) => `<!ENTITY a${n + 1} "&a${n};&a${n};">`,
).join('')}]>`;
const external = '<!DOCTYPE svg [<!ENTITY file SYSTEM "file:///etc/passwd">]>';
const harmless = '<!DOCTYPE svg [<!ENTITY colour "#e02020">]>';
const hidden = `<?x <!-- ?>${external}<?y --> ?>`;

export const oddImages: readonly OddImage[] = [
  picture('a JPEG', () => jpeg()),
  picture('a progressive JPEG', () => scene().jpeg({ progressive: true }).toBuffer()),
  picture('a grey JPEG', () => scene().greyscale().jpeg().toBuffer()),
  picture('a CMYK JPEG', () => scene().toColourspace('cmyk').jpeg().toBuffer()),
  picture('a CMYK TIFF', () => scene().toColourspace('cmyk').tiff().toBuffer()),
  picture('a JPEG with a wide-gamut profile', () => scene().withIccProfile('p3').jpeg().toBuffer()),
  picture('a JPEG that says who took it', () =>
    scene()
      .withExif({ IFD0: { Copyright: 'secret owner', Make: 'secret camera' } })
      .jpeg()
      .toBuffer(),
  ),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) =>
    picture(`a JPEG that lies turned, ${orientation}`, () =>
      scene().jpeg().withMetadata({ orientation }).toBuffer(),
    ),
  ),
  picture('a JPEG of the least size', () => jpeg(200, 120)),
  picture('a JPEG of exactly the size', () => jpeg(600, 400)),
  picture('a tall JPEG', () => jpeg(300, 3_000)),
  picture('a strip', () => jpeg(10_000, 50)),
  picture('a standing strip', () => jpeg(50, 10_000)),
  picture('a photograph of 48 megapixels', () => jpeg(8_000, 6_000)),
  picture('noise, which is hard to pack', () => noise(600, 400).png().toBuffer()),
  picture('a PNG', () => png()),
  picture('a PNG with 16 bits', () => scene().toColourspace('rgb16').png().toBuffer()),
  picture('an interlaced PNG', () => scene().png({ progressive: true }).toBuffer()),
  picture('a PNG with a palette', () => scene().png({ palette: true, colours: 4 }).toBuffer()),
  picture('a grey PNG', () => scene().greyscale().toColourspace('b-w').png().toBuffer()),
  picture('a PNG that is half there', () =>
    sharp({ create: { width: 500, height: 400, channels: 4, background: '#e0202080' } })
      .png()
      .toBuffer(),
  ),
  picture('a PNG that cannot be seen', () =>
    sharp({ create: { width: 500, height: 400, channels: 4, background: '#00000000' } })
      .png()
      .toBuffer(),
  ),
  picture('a GIF', () => scene().gif().toBuffer()),
  picture('an animated GIF', async () => (await movingScene()).gif().toBuffer()),
  picture('an animated WebP', async () => (await movingScene()).webp().toBuffer()),
  picture('a WebP', () => scene().webp().toBuffer()),
  picture('a lossless WebP', () => scene().webp({ lossless: true }).toBuffer()),
  picture('an AVIF', () => scene().avif({ effort: 0 }).toBuffer()),
  picture('a TIFF', () => scene().tiff({ compression: 'lzw' }).toBuffer()),
  picture('a JPEG with a page behind it', async () =>
    Buffer.concat([await jpeg(), Buffer.from('<script>alert(1)</script>')]),
  ),
  picture('a drawing', svg(rect)),
  picture('a drawing without a size', svg(rect, 'viewBox="0 0 400 300"')),
  picture(
    'a drawing with a prologue',
    svg(
      rect,
      'width="400" height="300"',
      '<?xml version="1.0" encoding="UTF-8"?>\n<!-- by hand -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n',
    ),
  ),
  picture(
    'a drawing with a script',
    svg(`${rect}<script>while (true);</script>`, 'width="400" height="300" onload="alert(1)"'),
  ),
  picture('a drawing with text', svg(`${rect}<text x="20" y="50">hello</text>`)),
  either(
    'a drawing within a drawing, a thousand times',
    svg(
      `<g id="a0">${rect}</g>${Array.from({ length: 10 }, (_, n) => `<g id="a${n + 1}"><use href="#a${n}"/><use href="#a${n}"/></g>`).join('')}`,
    ),
  ),
  either('half a JPEG', cut(jpeg(), 0.5)),
  either('half a PNG', cut(noise(640, 480).png().toBuffer(), 0.5)),
  either('half a WebP', cut(noise(640, 480).webp().toBuffer(), 0.5)),
  either('half a GIF', cut(noise(640, 480).gif().toBuffer(), 0.5)),
  either('a JPEG without its last bytes', cut(jpeg(), 0.99)),
  either('a JPEG that says to be larger than it is', () => jpegThatSays(6_000, 6_000)),
  either('a PNG with a row of pixels', () => pngOf(1_000, 1_000, 3_001)),
  either('a GIF with one pixel of many', () => gifOf(2_000, 2_000)),

  none('half an AVIF', cut(noise(640, 480).avif({ effort: 0 }).toBuffer(), 0.5)),
  none('the head of a JPEG', async () => (await jpeg()).subarray(0, 20)),
  none('the head of a PNG', async () => (await png()).subarray(0, 33)),
  none('a pixel', () => png(1, 1)),
  none('a GIF of one pixel, which counts readers', () => gifOf(1, 1)),
  none('an icon', () => png(180, 180)),
  none('a line', () => png(1_000, 3)),
  none('a drawing of an icon', svg('<rect width="9" height="9"/>', 'width="24" height="24"')),
  none('a PNG of 50,000 by 50,000 in a few bytes', () => pngOf(50_000, 50_000, 1_000_000)),
  none('a PNG of 2 billion by 2 billion', () => pngOf(2 ** 31 - 1, 2 ** 31 - 1, 1_000)),
  none('a PNG with more pixels than are read', () => pngOf(20_000, 10_000, 10_000_000)),
  none('a JPEG of 65,500 by 65,500', () => jpegThatSays(65_500, 65_500)),
  none('a GIF of 65,535 by 65,535', () => gifOf(65_535, 65_535)),
  none('a drawing of a million by a million', svg(rect, 'width="1000000" height="1000000"')),
  none(
    'a drawing that declares an entity',
    svg('<rect width="9" height="9" fill="&colour;"/>', 'width="400" height="300"', harmless),
  ),
  none(
    'a drawing with an entity that grows',
    svg('<text>&a30;</text>', 'width="400" height="300"', entityBomb),
  ),
  none(
    'a drawing with an entity that is a file',
    svg('<text>&file;</text>', 'width="400" height="300"', external),
  ),
  none(
    'the same behind what looks like a comment',
    svg('<text>&file;</text>', 'width="400" height="300"', hidden),
  ),
  none(
    'a drawing in a charset of its own',
    svg(rect, 'width="400" height="300"', '<?xml version="1.0" encoding="ISO-8859-1"?>'),
  ),
  none(
    'a drawing that breaks off',
    text('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect'),
  ),
  none('a page', text('<!doctype html><html><body>Not found</body></html>')),
  none(
    'a page with a drawing',
    text('<html><svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"></svg></html>'),
  ),
  none('a page behind the first bytes of a GIF', text('GIF89a=1;<html><script>alert(1)</script></html>')),
  none('a page behind the first bytes of a JPEG', () =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
      Buffer.from('<html><script>alert(1)</script></html>'),
    ]),
  ),
  none('JSON', text('{"error":"no such image"}')),
  none('a PDF', text('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')),
  none('a ZIP', () => Buffer.from('504b0304140000000800', 'hex')),
  none('an icon file', () =>
    Buffer.from(`00000100010010100000010020006804000016000000${'00'.repeat(1_200)}`, 'hex'),
  ),
  none('a HEIC without content', () => Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')),
  none('a JPEG XL', () => Buffer.from('\0\0\0\x0cJXL \r\n\x87\n', 'latin1')),
  none('a camera image of another trade', text('P6\n600 400\n255\n')),
  none('a file of libvips', () => Buffer.from('08f2a6b6', 'hex')),
  none('nothing', () => new Uint8Array()),
  none('one byte', () => Uint8Array.of(0xff)),
  none('zeros', () => Buffer.alloc(100_000)),
  none('random bytes', () => randomFillSync(Buffer.alloc(100_000))),
  none('more bytes than are read', async () => Buffer.concat([await jpeg(), Buffer.alloc(15 * 1024 * 1024)])),
];
