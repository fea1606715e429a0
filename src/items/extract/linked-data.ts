// What a page says about itself in JSON-LD.
import type { Document } from './page-document.ts';

export interface LinkedNode {
  readonly types: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Nodes beyond so many are not looked at. */
const maxNodes = 500;
const maxDepth = 6;
const entered = ['@graph', 'mainEntity', 'mainEntityOfPage'];

/** The nodes that the page is about, not those that they only refer to. */
export function readLinkedData(document: Document): LinkedNode[] {
  const found: LinkedNode[] = [];
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    collect(parseJson(script.textContent ?? ''), 0, found);
  }
  return found;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    // Many pages write line breaks into strings, which JSON does not allow.
    try {
      return JSON.parse(text.trim().replace(/[\n\r\t]+/g, ' '));
    } catch {
      return undefined;
    }
  }
}

function collect(value: unknown, depth: number, found: LinkedNode[]): void {
  if (typeof value !== 'object' || value === null || depth > maxDepth || found.length >= maxNodes) return;
  if (Array.isArray(value)) {
    for (const one of value) collect(one, depth + 1, found);
    return;
  }
  const fields = value as Record<string, unknown>;
  const types = [fields['@type']].flat().filter((type) => typeof type === 'string');
  if (types.length > 0) found.push({ types, fields });
  for (const name of entered) collect(fields[name], depth + 1, found);
}
