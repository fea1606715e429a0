// Search by meaning in real processes, with the model that comes with Lectern: the worker embeds what was saved, the API
// answers by it, and an index that was lost gets its vectors back.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, jsonRequest, type LecternEnv, useLectern } from '../support/lectern-process.ts';
import { until } from '../support/until.ts';

const pages = [
  'The central bank raised interest rates to fight inflation',
  'Borrowing money has become more expensive for everyone',
  'A new species of frog was found in the rainforest',
];

onEachEngine('meaning in real processes', (engine) => {
  const lectern = useLectern(afterEach);
  let env: LecternEnv;

  beforeEach(async () => {
    env = {
      LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget()),
      LECTERN_PASSWORD: 'a quiet place to read',
      LECTERN_EMBEDDINGS: 'local',
    };
  });

  it('is found out by the worker, asked of the API, and made again after the index was lost', async () => {
    const server = await lectern.serve({ role: 'all', env });
    const created = await lectern.run(['token', 'create', '--name', 't', '--scope', 'admin', '--json'], {
      env,
    });
    const headers = { Authorization: `Bearer ${(JSON.parse(created.stdout) as { token: string }).token}` };
    const ids: string[] = [];
    for (const [n, title] of pages.entries()) {
      const url = `https://unreachable.invalid/${n}`;
      const saved = await server.request('/api/v1/items', jsonRequest('POST', { url, title }, headers));
      const { id } = (await saved.json()) as { id: string };
      ids.push(id);
    }
    const status = async () =>
      (
        (await (await server.request('/api/v1/search/meaning', { headers })).json()) as {
          data: { pending: number; chunks: number; documents: number };
        }
      ).data;
    await until('every page is embedded', async () => {
      const { documents, chunks, pending } = await status();
      return documents === 3 && chunks === 3 && pending === 0;
    });
    expect(await status()).toMatchObject({ kind: 'local', model: 'use-lite-en/1' });
    const similar = await server.request(`/api/v1/items/${ids[0]}/similar`, { headers });
    expect(await similar.json()).toMatchObject({ by: 'meaning', data: [{ id: ids[1], title: pages[1] }] });
    expect(await server.stop()).toMatchObject({ code: 0 });

    const rebuilt = await lectern.spawn(['reinflate', '--force', '--rag', '--json'], { env });
    expect(rebuilt.code, rebuilt.stderr).toBe(0);
    expect(JSON.parse(rebuilt.stdout).meaning).toEqual({ model: 'use-lite-en/1', documents: 3, chunks: 3 });
    const off = await lectern.run(['reinflate', '--force', '--rag'], {
      env: { ...env, LECTERN_EMBEDDINGS: 'off' },
    });
    expect(off.stdout).toContain('Nothing was embedded: LECTERN_EMBEDDINGS is off.');
  });
});
