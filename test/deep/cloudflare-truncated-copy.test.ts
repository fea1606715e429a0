// A permanent copy whose compressed bytes end too early is none. workerd says so by itself when it unpacks them; where a runtime
// does not, its length tells (src/mirror/raindrop-api.ts).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hour, type MirrorWithRaindrop, startWithRaindrop } from '../cloudflare/support/with-raindrop.ts';

const words = Array.from({ length: 500 }, (_, n) => `word${(n * 7_919) % 1_000}`).join(' ');
const html = `<title>Whole</title><p>${words} petrichor</p>`;
const isStore = ({ host }: { host: string }) => host === 'store';

describe('a copy on Cloudflare that breaks off within its gzip stream', () => {
  let { raindrop, worker, runToEnd, close } = {} as MirrorWithRaindrop;
  let id: number;

  beforeEach(async () => {
    ({ raindrop, worker, runToEnd, close } = await startWithRaindrop());
    id = raindrop.account.add({ title: 'Cut off', copy: { html } })._id;
  });

  afterEach(() => close());

  it('is asked for again at once', async () => {
    raindrop.faults.next(isStore, 'truncate-gzip');
    await runToEnd();
    expect(await kept()).toEqual({ copy: 'stored', html });
    expect(raindrop.requests.filter(isStore)).toHaveLength(2);
  });

  it('is never stored as whole, and is whole the next day', async () => {
    raindrop.faults.always(isStore, 'truncate-gzip');
    await runToEnd();
    expect(await worker.errors()).toEqual([]);
    expect(await kept()).toEqual({ copy: 'failed', html: undefined });
    // What Raindrop knows of it can be found meanwhile.
    expect(await found('cut')).toEqual([id]);
    expect(await found('petrichor')).toEqual([]);

    raindrop.faults.clear();
    await worker.advance(25 * hour);
    await runToEnd();
    expect(await kept()).toEqual({ copy: 'stored', html });
    expect(await found('petrichor')).toEqual([id]);
  });

  async function kept(): Promise<{ copy: string; html: string | undefined }> {
    const objects = await worker.objects();
    const read = (name: string) => {
      const bytes = objects.get(`raindrops/${id}/${name}`);
      return bytes && new TextDecoder().decode(bytes);
    };
    return { copy: JSON.parse(read('meta.json') ?? '{}').copy, html: read('permacopy.html') };
  }

  async function found(q: string): Promise<number[]> {
    const answer = await worker.ask(`/api/search?q=${q}`);
    const { items } = (await answer.json()) as { items: { id: number }[] };
    return items.map((item) => item.id);
  }
});
