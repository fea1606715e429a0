// Chat completions, as OpenAI has them and Ollama, vLLM, LM Studio and many others speak them too.
import { jsonSchema } from './answer-schema.ts';
import { at, countAt, type Dialect, listAt, maxAnswerTokens, textOf } from './dialect.ts';

export const openai: Dialect = {
  name: 'openai',
  // Mistral knows no max_completion_tokens, DeepSeek no schema, the models of OpenAI that think no temperature.
  optional: ['temperature', 'max_completion_tokens', 'response_format'],
  path: () => '/chat/completions',
  headers: {},
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),

  body: ({ model, system, user, without }) => ({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    ...(!without.has('temperature') && { temperature: 0 }),
    ...(!without.has('max_completion_tokens') && { max_completion_tokens: maxAnswerTokens }),
    ...(!without.has('response_format') && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'analysis', strict: true, schema: jsonSchema },
      },
    }),
  }),

  read(answer) {
    const choice = at(answer, 'choices', 0);
    const message = at(choice, 'message');
    if (typeof message !== 'object' || message === null) return { kind: 'odd' };
    const refusal = at(message, 'refusal');
    const ending = at(choice, 'finish_reason');
    if (typeof refusal === 'string' && refusal !== '') return { kind: 'refused', detail: refusal };
    if (ending === 'content_filter') return { kind: 'refused', detail: ending };
    if (ending === 'length') return { kind: 'cut-off' };
    const content = at(message, 'content');
    return {
      kind: 'answer',
      content: typeof content === 'string' ? content : textOf(listAt(message, 'content')),
    };
  },

  tokens: (answer) => ({
    tokensIn: countAt(answer, 'usage', 'prompt_tokens'),
    tokensOut: countAt(answer, 'usage', 'completion_tokens'),
  }),
};
