// Asks PostgreSQL on a connection of its own whether it answers, and which statements it runs.
import pg from 'pg';
import { withSettings } from './connection-url.ts';
import { leave } from './leave.ts';
import type { Probe } from './liveness.ts';

export function probeServer({ url, tag }: { url: string; tag: string }): Probe {
  const client = new pg.Client({ connectionString: withSettings(url), application_name: tag });
  // A connection that breaks also rejects what is awaited on it.
  client.on('error', () => {});
  const abort = () => client.connection.stream.destroy(new Error('the probe took too long'));
  return { answer: findRunning(client, tag), abort };
}

async function findRunning(client: pg.Client, tag: string): Promise<ReadonlySet<string> | undefined> {
  try {
    await client.connect();
    const { rows } = await client.query<{ tag: string }>(
      `SELECT application_name AS tag FROM pg_stat_activity
       WHERE state = 'active' AND usename = current_user`,
    );
    const running = new Set(rows.map((row) => row.tag));
    // A proxy may replace the names of connections.
    return running.has(tag) ? running : undefined;
  } catch (error) {
    // A server that is full or starts also answers.
    if (error instanceof pg.DatabaseError) return undefined;
    throw error;
  } finally {
    void leave(client);
  }
}
