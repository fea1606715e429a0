// The fields of an analysis, in the order in which feeds and the API show them.
import type { Analysis } from '../model/deframer.ts';

/** One that is missing here does not compile. */
const kinds: Readonly<{ [K in keyof Analysis]: Analysis[K] extends number ? 'score' : 'text' }> = {
  llm_model: 'text',
  title_original: 'text',
  description_original: 'text',
  title_corrected: 'text',
  title_correction_reason: 'text',
  description_corrected: 'text',
  description_correction_reason: 'text',
  framing: 'score',
  framing_reason: 'text',
  clickbait: 'score',
  clickbait_reason: 'text',
  persuasive: 'score',
  persuasive_reason: 'text',
  hyper_stimulus: 'score',
  hyper_stimulus_reason: 'text',
  speculative: 'score',
  speculative_reason: 'text',
  overall: 'score',
  overall_reason: 'text',
  category: 'text',
};

export const analysisFields = Object.keys(kinds) as (keyof Analysis)[];
