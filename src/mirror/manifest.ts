// manifests/YYYY-MM.jsonl: which raindrops there are, as lines that are only ever added. The month is that of the update, or
// of the removal.
import type { Objects } from './host.ts';
import { raindropsPrefix } from './objects-of.ts';
import type { Stored } from './store-raindrop.ts';

const prefix = 'manifests/';
const attempts = 10;

export const collectionsKey = `${prefix}collections.json`;

/** The files that have changed are each written once, whatever the number of lines. */
export async function addToManifests(
  objects: Pick<Objects, 'readVersion' | 'putIf'>,
  stored: readonly Stored[],
): Promise<void> {
  const byMonth = new Map<string, string[]>();
  for (const one of stored) {
    const month = (one.removedAt ?? one.facts.updatedAt).slice(0, 7);
    byMonth.set(month, [...(byMonth.get(month) ?? []), lineOf(one)]);
  }
  for (const [month, lines] of byMonth) await addLines(objects, `${prefix}${month}.jsonl`, lines);
}

function lineOf({ id, facts, removedAt }: Stored): string {
  const { updatedAt, tags, domain, title, excerpt } = facts;
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
  for await (const key of objects.list(prefix)) {
    if (!key.endsWith('.jsonl')) continue;
    const bytes = await objects.read(key);
    for (const line of new TextDecoder().decode(bytes ?? new Uint8Array()).split('\n')) {
      const id = idOf(line);
      if (id !== undefined) ids.add(id);
    }
  }
  for await (const name of objects.folders(raindropsPrefix))
    if (/^[1-9]\d{0,15}$/.test(name)) ids.add(Number(name));
  return [...ids].sort((a, b) => a - b);
}

function idOf(line: string): number | undefined {
  if (line === '') return undefined;
  try {
    const { id } = JSON.parse(line) as { id: unknown };
    return Number.isSafeInteger(id) ? (id as number) : undefined;
  } catch {
    // Its raindrop is found by its objects.
    return undefined;
  }
}
