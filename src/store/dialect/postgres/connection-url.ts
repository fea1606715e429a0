// What every connection to PostgreSQL sends in its first message: its name and its settings.
import { hostname } from 'node:os';

/**
 * A server that cannot reach its client closes the connection after 40 s. PostgreSQL's own limit is two hours, and the
 * connections of a partitioned process count against `max_connections` all the time.
 */
const keepAlive = ['tcp_keepalives_idle=10', 'tcp_keepalives_interval=10', 'tcp_keepalives_count=3'];

/** The address with `settings`, such as `statement_timeout=1000`, after the options that it has already. */
export function withSettings(url: string, settings: readonly string[] = []): string {
  const address = new URL(url);
  const own = address.searchParams.get('options') ?? '';
  const options = [own, ...[...keepAlive, ...settings].map((setting) => `-c ${setting}`)];
  address.searchParams.set('options', options.join(' ').trim());
  return address.href;
}

/**
 * Names for connections, such as "lectern host/4711 read 3": pg_stat_activity shows them, and a probe finds them there. pg would
 * prefer a name in the address, so the `url` returned has none.
 */
export function nameConnections(url: string): { url: string; next(purpose: string): string } {
  const address = new URL(url);
  const prefix = address.searchParams.get('application_name') ?? 'lectern';
  address.searchParams.delete('application_name');
  let last = 0;
  return {
    url: address.href,
    // PostgreSQL cuts names off after 63 bytes.
    next: (purpose) => `${prefix.slice(0, 20)} ${hostname().slice(-20)}/${process.pid} ${purpose} ${++last}`,
  };
}
