// The deframer of a worker, put together. Loaded by the worker alone.
import { setTimeout as wait } from 'node:timers/promises';
import { createAnalyzer } from '../deframer/create-analyzer.ts';
import { createPageProcess } from '../items/page/page-process.ts';
import { startDeframing, usualDeframing } from '../jobs/deframing.ts';
import type { RunningWorker } from '../jobs/worker.ts';
import { createHostTurns } from '../outbound/host-turns.ts';
import { memoryOfPauses } from '../outbound/pace.ts';
import { Parser } from '../parsing/parser.ts';
import { openOutbound, type Runtime, type Serving } from './runtime.ts';

const leaseMs = 10 * 60_000;

export function startDeframer(runtime: Runtime, opened: Serving, holder: string): RunningWorker {
  const { config, log, store, outbound } = opened;
  const { now, random, randomText } = runtime;
  // A model may well run on the operator's own machine, which nothing that a feed names may reach. And a pause that it
  // asks for is none of the feeds that are published at the same domain.
  const modelOutbound = openOutbound(runtime, opened, {
    allowPrivateNetworks: true,
    pauses: memoryOfPauses(now),
  });
  const analyzer = createAnalyzer(config.ai, {
    outbound: modelOutbound,
    now,
    random,
    pause: (ms, signal) => wait(ms, undefined, { signal }),
  });
  const parser = new Parser();
  const page = createPageProcess();
  const { lease = leaseMs, ...settings } = runtime.deframing ?? {};
  const worker = startDeframing(
    {
      runs: store.deframeRuns,
      analyzer,
      outbound,
      parse: (document) => parser.parse('feed', document),
      page,
      turns: createHostTurns(now),
      timeoutMs: config.pull.timeoutMs,
      settings: { ...config.deframer, leaseMs: lease },
      ...{ now, randomText, log, holder },
    },
    { ...usualDeframing, ...settings },
  );
  return {
    stop: async () => {
      await worker.stop();
      await analyzer.close?.();
      await Promise.all([parser.close(), page.close(), modelOutbound.close()]);
    },
  };
}
