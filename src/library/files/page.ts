// Pages cut from a listing.
import { Invalid } from '../../errors.ts';
import { type FilePage, type FileStat, maxPageSize } from './files.ts';

export function checkLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPageSize) {
    throw new Invalid(`a page of the library has 1 to ${maxPageSize} files, not ${limit}`);
  }
  return limit;
}

/** Looks one file further than the page, so that a page that says there is more is never followed by none. */
export async function takePage(listing: AsyncIterable<FileStat>, limit: number): Promise<FilePage> {
  const files: FileStat[] = [];
  for await (const file of listing) {
    const last = files.at(-1);
    if (files.length === limit && last) return { files, next: last.key };
    files.push(file);
  }
  return { files };
}
