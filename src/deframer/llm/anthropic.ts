// The Messages API of Anthropic. The answer is the input of a tool that the model has to use.
import { jsonSchema } from './answer-schema.ts';
import { at, countAt, type Dialect, listAt, maxAnswerTokens, textOf } from './dialect.ts';

const tool = 'give_analysis';

export const anthropic: Dialect = {
  name: 'anthropic',
  // A model that always thinks may be offered a tool, but not be made to use it.
  optional: ['temperature', 'tool_choice'],
  path: () => '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  keyHeaders: (key) => ({ 'x-api-key': key }),
  // An account without money is told so by a 400.
  blamesAccount: /credit balance/i,

  body: ({ model, system, user, without }) => ({
    model,
    max_tokens: maxAnswerTokens,
    system,
    messages: [{ role: 'user', content: user }],
    tools: [{ name: tool, description: 'Takes the analysis of the article.', input_schema: jsonSchema }],
    ...(!without.has('tool_choice') && {
      tool_choice: { type: 'tool', name: tool, disable_parallel_tool_use: true },
    }),
    ...(!without.has('temperature') && { temperature: 0 }),
  }),

  read(answer) {
    if (!Array.isArray(at(answer, 'content'))) return { kind: 'odd' };
    const ending = at(answer, 'stop_reason');
    if (ending === 'refusal') return { kind: 'refused', detail: ending };
    if (ending === 'max_tokens' || ending === 'model_context_window_exceeded') return { kind: 'cut-off' };
    const parts = listAt(answer, 'content');
    const used = parts.find((part) => at(part, 'type') === 'tool_use' && at(part, 'name') === tool);
    return { kind: 'answer', content: used === undefined ? textOf(parts) : at(used, 'input') };
  },

  tokens: (answer) => ({
    tokensIn: countAt(answer, 'usage', 'input_tokens'),
    tokensOut: countAt(answer, 'usage', 'output_tokens'),
  }),
};
