import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { makeThumbnail } from '../../src/items/page/thumbnail.ts';
import { movingScene, oddImages, pngOf, scene } from '../support/odd-images.ts';

describe('a thumbnail of', () => {
  it.each(oddImages)('$name: $gives', async ({ bytes, gives }) => {
    const thumbnail = await makeThumbnail(await bytes());
    const found = thumbnail ? 'picture' : 'none';
    expect(gives === 'either' ? ['picture', 'none'] : [gives]).toContain(found);
    if (thumbnail) await expectThumbnail(thumbnail);
  });

  it('at least 50 images was asked for', () => {
    expect(oddImages.length).toBeGreaterThanOrEqual(50);
  });
});

async function expectThumbnail(bytes: Uint8Array): Promise<void> {
  expect(bytes.length).toBeLessThanOrEqual(100 * 1024);
  const { exif, icc, xmp, iptc, orientation, ...found } = await sharp(bytes, {
    failOn: 'warning',
  }).metadata();
  expect(found).toMatchObject({ format: 'jpeg', width: 600, height: 400, space: 'srgb', depth: 'uchar' });
  expect({ exif, icc, xmp, iptc, orientation }).toEqual({});
  // All of it can be read.
  await sharp(bytes, { failOn: 'warning' }).raw().toBuffer();
  expect(Buffer.from(bytes).includes('secret')).toBe(false);
}

describe('what a thumbnail shows', () => {
  it.each([
    [1, ['red', 'blue', 'red', 'blue']],
    [2, ['blue', 'red', 'blue', 'red']],
    [3, ['blue', 'red', 'blue', 'red']],
    [6, ['red', 'red', 'blue', 'blue']],
    [8, ['blue', 'blue', 'red', 'red']],
  ])('stands upright where the image lies turned (%i)', async (orientation, corners) => {
    const turned = await scene(640, 640).jpeg().withMetadata({ orientation }).toBuffer();
    expect(await cornersOf(turned)).toEqual(corners);
  });

  it('is the first frame of those that move', async () => {
    const moving = await (await movingScene()).gif().toBuffer();
    expect(new Set(await cornersOf(moving))).toEqual(new Set(['red']));
  });

  it('is white where the image has nothing', async () => {
    const clear = sharp({ create: { width: 300, height: 300, channels: 4, background: '#00000000' } });
    expect(new Set(await cornersOf(await clear.png().toBuffer()))).toEqual(new Set(['white']));
  });

  it('has the colours of an image that is meant for print', async () => {
    const print = await scene(640, 480).toColourspace('cmyk').jpeg().toBuffer();
    expect(await cornersOf(print)).toEqual(['red', 'blue', 'red', 'blue']);
  });

  it('is as wanted in quality unless it would be too large', async () => {
    const plain = await makeThumbnail(await scene().jpeg().toBuffer());
    const same = await makeThumbnail(await scene().png().toBuffer());
    expect(plain?.length).toBeLessThan(20_000);
    expect(same?.length).toBeLessThan(20_000);
  });

  it('is sharp for a drawing, however small it says it is', async () => {
    const drawing = (width: number, height: number) =>
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 30 20"><circle cx="15" cy="10" r="9"/></svg>`,
      );
    expect(await makeThumbnail(drawing(210, 140))).toEqual(await makeThumbnail(drawing(600, 400)));
  });
});

describe('a drawing', () => {
  const drawing = (inside: string) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xi="http://www.w3.org/2001/XInclude" width="400" height="300"><rect width="400" height="300" fill="#e02020"/>${inside}</svg>`,
    );

  it.each([
    '<image width="400" height="300" href="http://127.0.0.1:9/image.png"/>',
    `<image width="400" height="300" href="${new URL('../../docs/screenshots/', import.meta.url)}"/>`,
    `<image width="400" height="300" xlink:href="file:///etc/passwd"/>`,
    `<text x="9" y="99"><xi:include href="file:///etc/passwd" parse="text"/></text>`,
    '<style>@import url("file:///etc/passwd"); @import url("http://127.0.0.1:9/a.css");</style>',
    '<use href="file:///usr/share/icons/a.svg#a"/>',
    '<foreignObject width="400" height="300"><iframe xmlns="http://www.w3.org/1999/xhtml" src="file:///etc/passwd"/></foreignObject>',
  ])('shows nothing that is not in it: %s', async (inside) => {
    expect(await makeThumbnail(drawing(inside))).toEqual(await makeThumbnail(drawing('')));
  });
});

it('a bomb takes neither time nor memory', async () => {
  const bomb = pngOf(50_000, 50_000, 1_000_000);
  const before = process.memoryUsage.rss();
  const usedBefore = process.cpuUsage();
  for (let n = 0; n < 20; n++) expect(await makeThumbnail(bomb)).toBeUndefined();
  const { user, system } = process.cpuUsage(usedBefore);
  expect((user + system) / 1000).toBeLessThan(2_000);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100e6);
});

/** By name, from the upper left to the lower right. */
async function cornersOf(image: Uint8Array): Promise<string[]> {
  const thumbnail = await makeThumbnail(image);
  const { data, info } = await sharp(thumbnail).raw().toBuffer({ resolveWithObject: true });
  return [
    [20, 20],
    [580, 20],
    [20, 380],
    [580, 380],
  ].map(([x = 0, y = 0]) => {
    const at = (y * info.width + x) * info.channels;
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    if (red > 200 && green > 200 && blue > 200) return 'white';
    if (red > blue + 60) return 'red';
    return blue > red + 60 ? 'blue' : `rgb(${red},${green},${blue})`;
  });
}
