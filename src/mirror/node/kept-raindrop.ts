// A raindrop as the index keeps it, and what of it is within the limits of an item.
import { isPageAddress, savedUrl } from '../../items/save-url.ts';
import { parseTagName } from '../../items/tag-name.ts';
import { itemLimits } from '../../model/item.ts';
import type { KeptRaindrop } from '../../model/raindrop.ts';
import type { MirroredRaindrop } from '../host.ts';

export function keptRaindrop(raindrop: MirroredRaindrop): KeptRaindrop {
  const { id, link, title, excerpt, note, domain, tags, cover, isImportant, copy } = raindrop;
  const { collectionId, rawSha256, textSha256, wordCount, files, highlights } = raindrop;
  return {
    ...{
      id,
      link,
      title,
      excerpt,
      note,
      domain,
      cover,
      isImportant,
      copy,
      collectionId,
      rawSha256,
      textSha256,
      wordCount,
    },
    saved: isPageAddress(link) ? savedUrl(link) : null,
    item: {
      title: line(title, itemLimits.title),
      excerpt: line(excerpt, itemLimits.excerpt),
      siteName: line(domain, itemLimits.title),
      tags: tagsOf(tags),
    },
    highlights: JSON.stringify(highlights),
    files: JSON.stringify(files),
    createdAt: Date.parse(raindrop.createdAt),
    updatedAt: Date.parse(raindrop.updatedAt),
    removedAt: raindrop.removedAt === null ? null : Date.parse(raindrop.removedAt),
  };
}

/** Two that are one here are one; what is no tag here is left to raw.json. */
function tagsOf(tags: readonly string[]): string[] {
  const names = tags.map(parseTagName).filter((name) => name !== undefined);
  return [...new Set(names)].slice(0, itemLimits.tagsOfItem);
}

function line(text: string, most: number): string {
  const one = text.replace(/\s+/g, ' ').trim();
  return one.length <= most
    ? one
    : one
        .slice(0, most)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd();
}
