// The state of the mirror in KV, under the very names that src/mirror/chain.ts has for it. KV may show a place what another
// has written a minute late; batches are an hour apart, and are taken one at a time.
import type { MirrorHost, MirrorState } from '../../src/mirror/host.ts';

const tries = 5;
/** KV takes one write a second for a key. */
const betweenWritesMs = 1_100;

/** The part of a namespace that is used here. */
export interface StateNamespace {
  get(key: string): Promise<string | null>;
  put(key: string, value: string): Promise<void>;
}

export function createKvState(namespace: StateNamespace, { pause }: Pick<MirrorHost, 'pause'>): MirrorState {
  return {
    get: (key) => namespace.get(key),

    async set(key, value) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await namespace.put(key, value);
        } catch (error) {
          if (attempt === tries || !isTooSoon(error)) throw error;
          await pause(betweenWritesMs, true);
        }
      }
    },
  };
}

/** KV says so in its message alone: `KV PUT failed: 429 Too Many Requests`. */
function isTooSoon(error: unknown): boolean {
  return error instanceof Error && /\b429\b/.test(error.message);
}
