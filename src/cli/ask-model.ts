// The language model that questions are put to, and the way to it.

import { memoryOfPauses } from '../outbound/pace.ts';
import { createModel, type Model } from '../search/answer/ask-model.ts';
import { type Opened, openOutbound, type Runtime } from './runtime.ts';

export interface OpenedModel {
  readonly model: Model | undefined;
  close(): Promise<void>;
}

/** Its own way out, which leads to AI_BASE_URL alone: that may be on the operator's own machine, where nothing else may reach. */
export function openAskModel(runtime: Runtime, opened: Opened): OpenedModel {
  const { ai } = opened.config;
  if (ai.type === 'local' || ai.type === 'mock') return { model: undefined, close: async () => {} };
  const outbound = openOutbound(runtime, opened, {
    allowPrivateNetworks: true,
    pauses: memoryOfPauses(runtime.now),
  });
  return { model: createModel(outbound, ai), close: () => outbound.close() };
}
