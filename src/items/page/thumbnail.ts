// Makes the small picture of a saved page from whatever an address sent as an image. Runs where it can do no harm, in
// the process for pages; nothing that is sent makes it throw.
import sharp, { type OutputInfo } from 'sharp';
import { imageKind } from './image-kind.ts';

export const thumbnailSize = { width: 600, height: 400 } as const;
const mostBytes = 100 * 1024;
/** The first is what is wanted; the others are for pictures that are all noise. */
const qualities = [80, 70, 60, 50, 40, 30];

const mostInputBytes = 15 * 1024 * 1024;
/** A progressive JPEG of so many takes 400 MB while it is read, and no camera's picture below 15 MB has more. */
const mostInputPixels = 60_000_000;
/** Smaller ones are icons, buttons and counters. */
const leastLongSide = 200;
/** Thinner ones are lines and spacers. */
const leastShortSide = 20;
/** Of a longer strip the middle is shown: to look for the best part would mean to enlarge all of it. */
const mostRatioToSearch = 8;

// Memory is given back between pictures, and a picture has one core at most.
sharp.cache(false);
sharp.concurrency(1);

/** A JPEG of 600x400, or undefined if the bytes are no image that could stand for a page. */
export async function makeThumbnail(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (bytes.length > mostInputBytes) return undefined;
  if (imageKind(bytes) === undefined) return undefined;
  try {
    const size = await sizeOf(bytes);
    return size && (await encode(await pixelsOf(bytes, size)));
  } catch {
    // Whatever is wrong with it, it is the image's fault.
    return undefined;
  }
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** As the file says, which is read before anything is unpacked. Throws for one that has too many pixels. */
async function sizeOf(bytes: Uint8Array): Promise<Size | undefined> {
  const { width, height } = await open(bytes).metadata();
  if (Math.max(width, height) < leastLongSide || Math.min(width, height) < leastShortSide) return undefined;
  return { width, height };
}

async function pixelsOf(bytes: Uint8Array, { width, height }: Size) {
  const ratio = Math.max(width / height, height / width);
  return open(bytes)
    .autoOrient()
    .resize({
      ...thumbnailSize,
      fit: 'cover',
      position: ratio > mostRatioToSearch ? 'centre' : 'attention',
    })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
}

/** Only the first frame of those that move. What is cut off is shown as far as it goes, as browsers do. */
function open(bytes: Uint8Array) {
  return sharp(bytes, {
    limitInputPixels: mostInputPixels,
    failOn: 'none',
    sequentialRead: true,
    pages: 1,
  });
}

/** From bare pixels, so that nothing else of the image can be in it: no place, no camera, no profile. */
async function encode({ data, info }: { data: Buffer; info: OutputInfo }): Promise<Uint8Array> {
  const raw = { width: info.width, height: info.height, channels: info.channels };
  let jpeg: Uint8Array = new Uint8Array();
  for (const quality of qualities) {
    jpeg = await sharp(data, { raw }).jpeg({ quality }).toBuffer();
    if (jpeg.length <= mostBytes) break;
  }
  return jpeg;
}
