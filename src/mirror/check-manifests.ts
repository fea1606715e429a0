// The manifests, compared with the raindrops that they list. A raindrop has a line in the manifest of its month before it has a row in
// the index. So a line that is missing was lost.
import type { Objects } from './host.ts';
import {
  collectionsKey,
  lineOf,
  type ManifestLine,
  manifestKey,
  manifestsPrefix,
  parseLine,
} from './manifest.ts';
import { keyOf, readMeta, readRaw } from './objects-of.ts';
import { factsOf } from './raindrop.ts';
import { parseCollections } from './reinflate-mirror.ts';

/** A raindrop as its row in the index tells it. */
export type ListedRaindrop = ManifestLine;

export interface ManifestProblem {
  readonly key: string;
  readonly what: string;
}

export interface CheckOptions {
  /** Compares each line with the objects of its raindrop. Without it, only ids and times are compared. */
  readonly readData: boolean;
}

export interface RepairedManifests {
  readonly repaired: readonly string[];
  readonly lost: readonly ManifestProblem[];
}

interface DamagedManifest extends ManifestProblem {
  /** The lines that it should have. Undefined for the list of collections, which only Raindrop knows. */
  readonly lines?: readonly string[];
  /** Of the file that was checked; undefined when it is missing. */
  readonly version?: string | undefined;
}

type Deps = Pick<Objects, 'read' | 'readVersion' | 'list'>;

export async function checkManifests(
  objects: Deps,
  raindrops: AsyncIterable<ListedRaindrop>,
  options: CheckOptions,
): Promise<ManifestProblem[]> {
  const problems: ManifestProblem[] = [];
  for await (const { key, what } of findDamaged(objects, raindrops, options)) problems.push({ key, what });
  return problems;
}

/** Writes damaged manifests again from the objects. A manifest that another mirror changes meanwhile is left alone. */
export async function repairManifests(
  objects: Deps & Pick<Objects, 'putIf'>,
  raindrops: AsyncIterable<ListedRaindrop>,
): Promise<RepairedManifests> {
  const repaired: string[] = [];
  const lost: ManifestProblem[] = [];
  for await (const { key, what, lines, version } of findDamaged(objects, raindrops, { readData: true })) {
    if (!lines) {
      lost.push({ key, what: `${what}; the next run of the mirror writes it again` });
      continue;
    }
    if (await objects.putIf(key, lines.map((line) => `${line}\n`).join(''), version)) repaired.push(key);
    else lost.push({ key, what: `${what}; it has changed meanwhile, so run the repair again` });
  }
  return { repaired, lost };
}

async function* findDamaged(
  objects: Deps,
  raindrops: AsyncIterable<ListedRaindrop>,
  { readData }: CheckOptions,
): AsyncGenerator<DamagedManifest> {
  const byKey = new Map<string, ListedRaindrop[]>();
  const ids = new Set<number>();
  for await (const raindrop of raindrops) {
    ids.add(raindrop.id);
    const key = manifestKey(raindrop);
    const listed = byKey.get(key);
    if (listed) listed.push(raindrop);
    else byKey.set(key, [raindrop]);
  }
  const stored: string[] = [];
  for await (const key of objects.list(manifestsPrefix)) if (key.endsWith('.jsonl')) stored.push(key);
  for (const key of [...new Set([...byKey.keys(), ...stored])].sort()) {
    const present = await objects.readVersion(key);
    const lines = new TextDecoder().decode(present?.bytes).split('\n');
    // Every line ends with a line end, so the text after the last one is empty.
    const rest = lines.pop();
    const good: string[] = [];
    for (const line of lines) if (await isKnown(line)) good.push(line);
    const lacking = await findLacking(objects, good, byKey.get(key) ?? [], readData);
    if (present && rest === '' && good.length === lines.length && lacking.length === 0) continue;
    const what = present ? 'it has damaged or missing lines' : 'it is missing';
    yield { key, what, lines: [...good, ...lacking], version: present?.version };
  }
  if (ids.size === 0) return;
  const collections = await objects.read(collectionsKey);
  if (!collections) yield { key: collectionsKey, what: 'it is missing' };
  else if (!parseCollections(collections)) yield { key: collectionsKey, what: 'it cannot be read' };

  async function isKnown(line: string): Promise<boolean> {
    const id = parseLine(line)?.id;
    // A raindrop without a row belongs to a mirror that runs elsewhere, or could not be read.
    return id !== undefined && (ids.has(id) || (await objects.read(keyOf(id, 'raw.json'))) !== undefined);
  }
}

/** The lines that the manifest should have and does not have. */
async function findLacking(
  objects: Pick<Objects, 'read'>,
  lines: readonly string[],
  raindrops: readonly ListedRaindrop[],
  readData: boolean,
): Promise<string[]> {
  const present = new Set(lines);
  const states = new Set(lines.map((line) => stateOf(parseLine(line))));
  const lacking: string[] = [];
  for (const raindrop of raindrops) {
    const isListed = states.has(stateOf(raindrop));
    if (isListed && !readData) continue;
    const line = await lineFromObjects(objects, raindrop);
    if (line === undefined ? !isListed : !present.has(line)) lacking.push(line ?? lineOf(raindrop));
  }
  return lacking;
}

function stateOf(raindrop: ManifestLine | undefined): string {
  return raindrop ? `${raindrop.id} ${raindrop.updatedAt} ${raindrop.removedAt}` : '';
}

/** Undefined when the objects are damaged, or newer than the row: then the mirror has not written their line yet. */
async function lineFromObjects(
  objects: Pick<Objects, 'read'>,
  raindrop: ListedRaindrop,
): Promise<string | undefined> {
  const [raw, meta] = [await readRaw(objects, raindrop.id), await readMeta(objects, raindrop.id)];
  if (!raw || !meta) return undefined;
  const facts = { ...factsOf(raw), removedAt: meta.removed_at };
  return stateOf(facts) === stateOf(raindrop) ? lineOf(facts) : undefined;
}
