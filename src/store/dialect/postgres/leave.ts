import type pg from 'pg';

const endWithinMs = 500;

/** Closes a connection even if the server does not answer, or has not answered yet. */
export async function leave(client: pg.Client): Promise<void> {
  const { stream } = client.connection;
  const impatient = setTimeout(() => stream.destroy(), endWithinMs);
  await client.end().catch(() => {});
  clearTimeout(impatient);
}
