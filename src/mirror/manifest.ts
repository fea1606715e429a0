// manifests/YYYY-MM.jsonl: which raindrops there are, as lines that are only ever added. The month is that of the update, or
// of the removal.
import type { Objects } from './host.ts';
import { raindropsPrefix } from './objects-of.ts';
import type { RaindropFacts } from './raindrop.ts';
import type { Stored } from './store-raindrop.ts';

export const manifestsPrefix = 'manifests/';
const attempts = 10;

export const collectionsKey = `${manifestsPrefix}collections.json`;

/** The files that have changed are each written once, whatever the number of lines. */
export async function addToManifests(
  objects: Pick<Objects, 'readVersion' | 'putIf'>,
  stored: readonly Stored[],
): Promise<void> {
  const byKey = new Map<string, string[]>();
  for (const { facts, removedAt } of stored) {
    const raindrop = { ...facts, removedAt };
    const key = manifestKey(raindrop);
    byKey.set(key, [...(byKey.get(key) ?? []), lineOf(raindrop)]);
  }
  for (const [key, lines] of byKey) await addLines(objects, key, lines);
}

/** A raindrop as a line tells it. */
export interface ManifestLine extends Partial<Pick<RaindropFacts, 'tags' | 'domain' | 'title' | 'excerpt'>> {
  readonly id: number;
  readonly updatedAt: string;
  readonly removedAt: string | null;
}

export function manifestKey({ updatedAt, removedAt }: ManifestLine): string {
  return `${manifestsPrefix}${(removedAt ?? updatedAt).slice(0, 7)}.jsonl`;
}

export function lineOf({ id, updatedAt, tags, domain, title, excerpt, removedAt }: ManifestLine): string {
  return JSON.stringify({
    ...{ id, updated_at: updatedAt, tags, domain, title, excerpt },
    ...(removedAt !== null && { removed_at: removedAt }),
  });
}

/** Others may write the same file; whoever comes second reads it again. A line that is there is not added twice. */
async function addLines(
  objects: Pick<Objects, 'readVersion' | 'putIf'>,
  key: string,
  lines: readonly string[],
): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const present = await objects.readVersion(key);
    const text = present ? new TextDecoder().decode(present.bytes) : '';
    // A last line without an end was cut off by somebody, and is no line.
    const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    const there = new Set(whole.split('\n'));
    const added = [...new Set(lines)].filter((line) => !there.has(line));
    if (added.length === 0 && whole === text) return;
    if (await objects.putIf(key, whole + added.map((line) => `${line}\n`).join(''), present?.version)) return;
  }
  throw new Error(`${key} is written by others again and again`);
}

/** Every raindrop that a line or an object tells of, rising. A line that was lost is made good by the objects. */
export async function raindropIds(objects: Pick<Objects, 'read' | 'list' | 'folders'>): Promise<number[]> {
  const ids = new Set<number>();
  for await (const key of objects.list(manifestsPrefix)) {
    if (!key.endsWith('.jsonl')) continue;
    const bytes = await objects.read(key);
    for (const line of new TextDecoder().decode(bytes ?? new Uint8Array()).split('\n')) {
      const id = parseLine(line)?.id;
      if (id !== undefined) ids.add(id);
    }
  }
  for await (const name of objects.folders(raindropsPrefix))
    if (/^[1-9]\d{0,15}$/.test(name)) ids.add(Number(name));
  return [...ids].sort((a, b) => a - b);
}

/** Undefined for a line that cannot be read. Its raindrop is found by its objects. */
export function parseLine(line: string): ManifestLine | undefined {
  try {
    const { id, updated_at: updatedAt, removed_at: removedAt = null } = JSON.parse(line);
    return Number.isSafeInteger(id) ? { id, updatedAt, removedAt } : undefined;
  } catch {
    return undefined;
  }
}
