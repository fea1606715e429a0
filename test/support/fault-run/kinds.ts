// The faults that a cluster has to survive. Each lasts for a while, and is over when it returns.
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault-proxy.ts';
import type { Random } from '../random.ts';
import type { Cluster, Dependency, Role } from './cluster.ts';

export interface FaultKind {
  readonly name: string;
  /** Returns a description of what it did. */
  readonly run: (cluster: Cluster, random: Random, lastsMs: number) => Promise<string>;
}

const repeatBreakMs = 500;

export const faultKinds: readonly FaultKind[] = [
  ...(['postgres', 's3'] as const).flatMap((dependency) => [
    breakConnections(dependency, 'cut'),
    breakConnections(dependency, 'reset'),
    atProxies(dependency, 'reset after some bytes', (random) => ({
      kind: 'break',
      how: 'reset',
      direction: random.oneOf(['up', 'down']),
      afterBytes: () => random.below(random.oneOf([300, 3_000, 30_000])),
    })),
    atProxies(dependency, 'half-open', () => ({ kind: 'half-open' })),
    atProxies(dependency, 'delay', (random) => ({ kind: 'delay', ms: 50 + random.below(1_500) })),
    atProxies(dependency, 'throttle', (random) => ({
      kind: 'throttle',
      bytesPerSecond: 2_000 + random.below(60_000),
    })),
    atProxies(dependency, 'stalled answer', (random) => ({
      kind: 'break',
      how: 'stall',
      direction: 'down',
      afterBytes: () => random.below(random.oneOf([300, 3_000, 30_000])),
    })),
    atProxies(dependency, 'refuse', () => ({ kind: 'refuse' })),
  ]),
  kill('api'),
  kill('worker'),
  freeze('api'),
  freeze('worker'),
  {
    name: 'postgres: restart',
    run: async ({ postgres }, random) => {
      const signal = random.oneOf(['SIGINT', 'SIGQUIT'] as const);
      await postgres.restart(signal);
      return signal === 'SIGQUIT' ? 'as after a crash' : 'sessions are ended';
    },
  },
];

/** The processes whose connections break: all, or one. */
function chooseMembers({ members }: Cluster, random: Random) {
  if (random.below(3) > 0) return { members, words: 'all processes' };
  const member = random.oneOf(members);
  return { members: [member], words: member.name };
}

function breakConnections(dependency: Dependency, how: 'cut' | 'reset'): FaultKind {
  return {
    name: `${dependency}: ${how}`,
    async run(cluster, random, lastsMs) {
      const { members, words } = chooseMembers(cluster, random);
      const times = Math.max(1, Math.round(lastsMs / repeatBreakMs));
      for (let n = 0; n < times; n++) {
        for (const { proxies } of members) proxies[dependency].breakAll(how);
        await pause(repeatBreakMs * random.fraction() * 2);
      }
      return `${words}, ${times} times`;
    },
  };
}

function atProxies(dependency: Dependency, name: string, faultOf: (random: Random) => Fault): FaultKind {
  return {
    name: `${dependency}: ${name}`,
    async run(cluster, random, lastsMs) {
      const { members, words } = chooseMembers(cluster, random);
      const fault = faultOf(random);
      const setAll = (next: Fault) =>
        Promise.all(members.map(({ proxies }) => proxies[dependency].set(next)));
      await setAll(fault);
      // A server that is away has no connections either.
      if (fault.kind === 'refuse') for (const { proxies } of members) proxies[dependency].breakAll('reset');
      await pause(lastsMs);
      await setAll({ kind: 'pass' });
      return `${words}, ${Math.round(lastsMs / 100) / 10} s, ${JSON.stringify(fault)}`;
    },
  };
}

/** The process is started again after a while, as a supervisor does. */
function kill(role: Role): FaultKind {
  return {
    name: `${role}: SIGKILL`,
    async run(cluster, random, lastsMs) {
      const member = random.oneOf(cluster.of(role));
      await member.kill();
      await pause(lastsMs * random.fraction());
      await member.start();
      return member.name;
    },
  };
}

function freeze(role: Role): FaultKind {
  return {
    name: `${role}: SIGSTOP`,
    async run(cluster, random, lastsMs) {
      const member = random.oneOf(cluster.of(role));
      member.signal('SIGSTOP');
      await pause(lastsMs);
      member.signal('SIGCONT');
      return `${member.name}, ${Math.round(lastsMs / 100) / 10} s`;
    },
  };
}
