// The Messages API of Anthropic.
import { type Dialect, maxAnswerTokens, textAt } from './dialect.ts';

const endings: Record<string, 'limit' | 'refused'> = {
  max_tokens: 'limit',
  model_context_window_exceeded: 'limit',
  refusal: 'refused',
};

const silent = ['message_start', 'content_block_start', 'content_block_stop', 'ping'];

export const anthropic: Dialect = {
  name: 'anthropic',
  path: () => '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  keyHeaders: (key) => ({ 'x-api-key': key }),

  body: (model, { system, user }) => ({
    model,
    stream: true,
    max_tokens: maxAnswerTokens,
    system,
    messages: [{ role: 'user', content: user }],
  }),

  read(event) {
    const type = textAt(event, 'type');
    switch (type) {
      case 'content_block_delta':
        return { text: textAt(event, 'delta', 'text') };
      case 'message_delta': {
        const ending = textAt(event, 'delta', 'stop_reason');
        return ending === '' ? {} : { end: endings[ending] ?? 'whole' };
      }
      case 'message_stop':
        return { end: 'whole' };
      case 'error':
        return { end: 'error' };
      default:
        return silent.includes(type) ? {} : undefined;
    }
  },
};
