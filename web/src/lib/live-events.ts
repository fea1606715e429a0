// A stream of events that stays: it comes back after a failure, asks for a login where one is needed, and rests while
// nobody looks at the page.
import { get } from './api.ts';

const tryAgainMs = 5_000;

/** `onOpen` is called each time it begins anew, since what happened meanwhile was missed. Returns how to stop. */
export function liveEvents(
  path: string,
  handlers: Record<string, (data: never) => void>,
  onOpen: () => void = () => {},
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  function open(): void {
    clearTimeout(timer);
    if (stopped || source || document.hidden) return;
    source = new EventSource(path);
    source.onopen = onOpen;
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handle(JSON.parse(event.data) as never));
    }
    source.onerror = async () => {
      // A stream that merely broke off comes back by itself; one that was refused does not.
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      await get('/api/me').catch(() => {});
      timer = setTimeout(open, tryAgainMs);
    };
  }

  function close(): void {
    source?.close();
    source = undefined;
  }

  const onLook = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', onLook);
  open();
  return () => {
    stopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onLook);
    close();
  };
}
