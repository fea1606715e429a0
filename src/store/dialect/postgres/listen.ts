// A connection of its own that hears when jobs are enqueued, and comes back when the server was away.
import pg from 'pg';
import { jobsChannel } from '../../job-queue/enqueue.ts';
import { withSettings } from './connection-url.ts';
import { leave } from './leave.ts';

const firstPauseMs = 500;
const longestPauseMs = 10_000;

/** A server that vanishes without a word is missed after some 20 s; the system's own rule would be two hours. */
export const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export interface ListenOptions {
  readonly url: string;
  readonly onChange: () => void;
  readonly onError: (error: Error) => void;
  readonly connectWithinMs: number;
}

export function listenForJobs({ url, onChange, onError, connectWithinMs }: ListenOptions): {
  stop(): Promise<void>;
} {
  let client: pg.Client | undefined;
  let stopped = false;
  let pauseMs = firstPauseMs;
  let again: NodeJS.Timeout | undefined;

  const connect = async () => {
    const next = new pg.Client({
      connectionString: withSettings(url),
      application_name: 'lectern jobs',
      connectionTimeoutMillis: connectWithinMs,
      // For LISTEN, the only statement.
      query_timeout: connectWithinMs,
      ...tcpKeepAlive,
    });
    client = next;
    let gone = false;
    const onGone = (error?: Error) => {
      if (gone) return;
      gone = true;
      if (client === next) client = undefined;
      if (stopped) return;
      onError(error ?? new Error('the connection that listens for jobs was closed'));
      again = setTimeout(connect, pauseMs);
      again.unref();
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      next.end().catch(() => {});
    };
    next.on('error', onGone);
    next.on('end', () => onGone());
    next.on('notification', () => onChange());
    try {
      await next.connect();
      await next.query(`LISTEN ${jobsChannel}`);
      pauseMs = firstPauseMs;
      // What was enqueued while nobody listened.
      onChange();
    } catch (error) {
      onGone(error as Error);
    }
  };
  connect();

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(again);
      if (client) await leave(client);
    },
  };
}
