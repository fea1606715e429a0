// What the bucket has of a raindrop, by the names that the mirror gave it.

type Name = 'permacopy.html' | 'plain.txt' | 'meta.json';

export const objectKey = (id: number, name: Name) => `raindrops/${id}/${name}`;

export interface Meta {
  readonly sha256?: unknown;
  readonly content_type?: unknown;
  readonly content_length?: unknown;
  readonly fetched_at?: unknown;
}

export async function findMeta(bucket: R2Bucket, id: number): Promise<Meta | null> {
  const object = await bucket.get(objectKey(id, 'meta.json'));
  const value: unknown = object && (await object.json());
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}

/** Words further back than this are found, but not shown: twenty texts at once have to fit into the memory of a Worker. */
const shownBytes = 128 * 1024;

/** The beginning of the text; undefined where none was kept. */
export async function findOpening(bucket: R2Bucket, id: number): Promise<string | undefined> {
  const object = await bucket.get(objectKey(id, 'plain.txt'));
  if (!object) return undefined;
  const decoder = new TextDecoder();
  const reader = object.body.getReader();
  let text = '';
  for (let bytes = 0; bytes < shownBytes; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    bytes += value.byteLength;
  }
  await reader.cancel();
  return text;
}
