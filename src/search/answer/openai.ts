// Chat completions, as OpenAI has them and Ollama, vLLM, LM Studio and many others speak them too.
import { at, type Dialect, textAt } from './dialect.ts';

const endings: Record<string, 'limit' | 'refused'> = { length: 'limit', content_filter: 'refused' };

export const openai: Dialect = {
  name: 'openai',
  path: () => '/chat/completions',
  headers: {},
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),

  // No parameter besides: each is refused by some model that speaks this.
  body: (model, { system, user }) => ({
    model,
    stream: true,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  }),

  read(event) {
    if (event === '[DONE]') return { end: 'whole' };
    if (at(event, 'error') !== undefined) return { end: 'error' };
    if (!Array.isArray(at(event, 'choices'))) return undefined;
    const choice = at(event, 'choices', 0);
    if (textAt(choice, 'delta', 'refusal') !== '') return { end: 'refused' };
    const ending = textAt(choice, 'finish_reason');
    const text = textAt(choice, 'delta', 'content');
    return { text, ...(ending !== '' && { end: endings[ending] ?? 'whole' }) };
  },
};
