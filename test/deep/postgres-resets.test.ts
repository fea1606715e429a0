// The same as in test/contract/postgres-connections.test.ts, twenty times as often.
import { it } from 'vitest';
import { survivesResets } from '../support/connection-resets.ts';
import { onOneEngine } from '../support/engines.ts';

onOneEngine('postgres', 'many connections that are reset', (engine) => {
  it('1,000 resets leave the pools whole and lose no write', async () => {
    await survivesResets(engine, 1_000);
  });
});
