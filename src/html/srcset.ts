// The `srcset` of an image, as the HTML standard cuts it.
import { charSet, findAny, findOther, spaces } from './char-set.ts';
import { webUrl } from './safe-url.ts';

export interface ImageCandidate {
  readonly url: string;
  /** `640w`, `2x`, or nothing. */
  readonly descriptor: string;
}

const maxCandidates = 20;
const space = charSet(spaces);
const spaceOrComma = charSet(`${spaces},`);

export function parseSrcset(value: string, base: string | null): ImageCandidate[] {
  const found: ImageCandidate[] = [];
  let at = 0;
  while (at < value.length && found.length < maxCandidates) {
    const start = findOther(spaceOrComma, value, at);
    at = findAny(space, value, start);
    let address = value.slice(start, at);
    let descriptor = '';
    if (address.endsWith(',')) {
      address = withoutCommas(address);
    } else {
      const comma = value.indexOf(',', at);
      const end = comma < 0 ? value.length : comma;
      descriptor = value.slice(at, end).trim();
      at = end;
    }
    const url = webUrl(address, base);
    if (url === undefined || url.endsWith(',')) continue;
    found.push({ url, descriptor: /^\d{1,5}(\.\d{1,3})?[wx]$/.test(descriptor) ? descriptor : '' });
  }
  return found;
}

export function writeSrcset(candidates: readonly ImageCandidate[]): string {
  return candidates.map(({ url, descriptor }) => (descriptor ? `${url} ${descriptor}` : url)).join(', ');
}

/** The largest that is not meant for a wall. */
export function bestCandidate(candidates: readonly ImageCandidate[]): string | undefined {
  const size = ({ descriptor }: ImageCandidate) =>
    Number.parseFloat(descriptor || '1') * (descriptor.endsWith('w') ? 1 : 600);
  const usable = candidates.filter((candidate) => size(candidate) <= 2_000);
  return usable.toSorted((a, b) => size(b) - size(a))[0]?.url ?? candidates[0]?.url;
}

function withoutCommas(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ',') end--;
  return text.slice(0, end);
}
