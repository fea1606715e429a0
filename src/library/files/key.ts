// The only judge of keys. A key is accepted on a folder exactly when it is accepted on S3, and none that is
// accepted can name anything outside the library.
import { Invalid } from '../../errors.ts';

/** S3 allows 1,024 bytes, of which the prefix in LECTERN_LIBRARY_URL takes up to 256. */
export const maxKeyLength = 512;
/** The longest name that common file systems take. */
const maxSegmentLength = 255;
/**
 * No leading dot: "." and ".." leave the folder, and names such as ".tmp" or ".DS_Store" belong to others.
 * Nothing that a shell, a URL or Windows would read as anything but a letter.
 */
const segmentPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

export function isSegment(text: string): boolean {
  return text.length <= maxSegmentLength && segmentPattern.test(text);
}

export function isKey(text: string): boolean {
  return text.length <= maxKeyLength && text.split('/').every(isSegment);
}

export function checkKey(key: string): string {
  if (!isKey(key)) throw new Invalid(`${quote(key)} is not a key of the library`);
  return key;
}

/** A prefix is the beginning of a key: "", "journal/", "journal/2026", "journal/2026/0". */
export function checkPrefix(prefix: string): string {
  if (prefix !== '' && !isKey(prefix.replace(/\/$/, ''))) {
    throw new Invalid(`${quote(prefix)} is not the beginning of a key of the library`);
  }
  return prefix;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
