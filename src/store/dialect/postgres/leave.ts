import type pg from 'pg';

const goodbyeMs = 500;

/** Closes a connection even if the server does not answer, or has not answered yet. */
export async function leave(client: pg.Client): Promise<void> {
  const { stream } = client.connection;
  const impatient = setTimeout(() => stream.destroy(), goodbyeMs);
  await client.end().catch(() => {});
  clearTimeout(impatient);
}
