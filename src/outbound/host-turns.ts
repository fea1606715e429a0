// How many jobs for one host a worker has in hand. One that answers slowly, or never, must not fill all its places:
// what comes on top is put back into the queue until its turn.
import { isIP } from 'node:net';
import { Later } from '../errors.ts';
import { isFromFuture } from '../model/clock-jump.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import { reachOf } from './address.ts';

/** Two that ask, as many as a host is asked at once, and one that is ready when one of them has ended. */
const usuallyInside = 3;
const gapMs = 500;

interface Host {
  inside: number;
  nextAt: Millis;
  /** When `nextAt` was written. */
  writtenAt: Millis;
}

export interface HostTurns {
  /** Throws Later when the host has enough. Otherwise to be called when the job has ended. */
  enter(url: string): () => void;
}

export function createHostTurns(now: Clock, mostInside = usuallyInside): HostTurns {
  const hosts = new Map<string, Host>();
  return {
    enter(url) {
      const name = turnOf(url);
      const host = hosts.get(name) ?? { inside: 0, nextAt: 0, writtenAt: 0 };
      hosts.set(name, host);
      if (host.inside >= mostInside) {
        // One after the other, at the pace at which the host is asked anyway.
        const at = now();
        host.nextAt = (isFromFuture(host.writtenAt, at) ? at : Math.max(host.nextAt, at)) + gapMs;
        host.writtenAt = at;
        throw new Later(host.nextAt - at);
      }
      host.inside += 1;
      return () => {
        host.inside -= 1;
        if (host.inside === 0 && host.nextAt <= now()) hosts.delete(name);
      };
    },
  };
}

/** On a network of one's own, one host serves feeds of many origins (RSSHub, RSS-Bridge): there each feed is its own. */
function turnOf(url: string): string {
  const hostname = URL.canParse(url) ? new URL(url).hostname : url;
  const address = hostname.replace(/^\[|\]$/g, '');
  const isOwn =
    isIP(address) === 0
      ? !hostname.includes('.') || /\.(local|lan|home|internal|home\.arpa)\.?$/i.test(hostname)
      : reachOf(address) !== 'public';
  return isOwn ? url : hostname;
}
