// streamGenerateContent, as Google has it for Gemini.
import { at, type Dialect, maxAnswerTokens, textAt } from './dialect.ts';

const refusals = ['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'];

export const gemini: Dialect = {
  name: 'gemini',
  path: (model) =>
    `/v1beta/models/${encodeURIComponent(model.replace(/^models\//, ''))}:streamGenerateContent?alt=sse`,
  headers: {},
  keyHeaders: (key) => ({ 'x-goog-api-key': key }),

  body: (_, { system, user }) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: [{ role: 'user', parts: [{ text: user }] }],
    generationConfig: { maxOutputTokens: maxAnswerTokens },
  }),

  read(event) {
    if (at(event, 'error') !== undefined) return { end: 'error' };
    if (at(event, 'promptFeedback', 'blockReason') !== undefined) return { end: 'refused' };
    if (at(event, 'usageMetadata') === undefined && !Array.isArray(at(event, 'candidates'))) return undefined;
    const candidate = at(event, 'candidates', 0);
    const parts = at(candidate, 'content', 'parts');
    const text = (Array.isArray(parts) ? parts : [])
      .filter((part) => at(part, 'thought') !== true)
      .map((part) => textAt(part, 'text'))
      .join('');
    const ending = textAt(candidate, 'finishReason');
    if (ending === '') return { text };
    return { text, end: refusals.includes(ending) ? 'refused' : ending === 'MAX_TOKENS' ? 'limit' : 'whole' };
  },
};
