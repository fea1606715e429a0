// For answers that come piece by piece.
import { ApiError, reach } from './api.ts';
import { EventReader } from './sent-events.ts';
import { words } from './words.ts';

/** Asks, and gives the events of the answer as they come. Ends when they do, also where the connection breaks off. */
export async function* callForEvents(
  path: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<{ event: string; data: unknown }> {
  const response = await reach('POST', path, { body, signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const events = new EventReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return;
      for (const { event, data } of events.push(value)) yield { event, data: JSON.parse(data) };
    }
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new ApiError(0, words().errors.offline);
  } finally {
    await reader?.cancel().catch(() => {});
  }
}
