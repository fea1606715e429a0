// generateContent, as Google has it for Gemini.
import { geminiSchema } from './answer-schema.ts';
import { at, countAt, type Dialect, listAt, maxAnswerTokens, textOf } from './dialect.ts';

const refusals = ['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'];

export const gemini: Dialect = {
  name: 'gemini',
  optional: ['temperature'],
  path: (model) => `/v1beta/models/${encodeURIComponent(model.replace(/^models\//, ''))}:generateContent`,
  headers: {},
  keyHeaders: (key) => ({ 'x-goog-api-key': key }),
  // A key that is wrong is answered with a 400.
  blamesAccount: /API_KEY_INVALID|API key (not valid|expired)/i,

  body: ({ system, user, without }) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: [{ role: 'user', parts: [{ text: user }] }],
    generationConfig: {
      ...(!without.has('temperature') && { temperature: 0 }),
      maxOutputTokens: maxAnswerTokens,
      responseMimeType: 'application/json',
      responseSchema: geminiSchema,
    },
  }),

  read(answer) {
    const blocked = at(answer, 'promptFeedback', 'blockReason');
    if (blocked !== undefined) return { kind: 'refused', detail: blocked };
    const candidate = at(answer, 'candidates', 0);
    if (typeof candidate !== 'object' || candidate === null) return { kind: 'odd' };
    const ending = at(candidate, 'finishReason');
    if (refusals.some((reason) => reason === ending)) return { kind: 'refused', detail: ending };
    if (ending === 'MAX_TOKENS') return { kind: 'cut-off' };
    const said = listAt(candidate, 'content', 'parts').filter((part) => at(part, 'thought') !== true);
    return { kind: 'answer', content: textOf(said) };
  },

  tokens: (answer) => ({
    tokensIn: countAt(answer, 'usageMetadata', 'promptTokenCount'),
    // What it thought is paid for like what it said.
    tokensOut:
      countAt(answer, 'usageMetadata', 'candidatesTokenCount') +
      countAt(answer, 'usageMetadata', 'thoughtsTokenCount'),
  }),
};
