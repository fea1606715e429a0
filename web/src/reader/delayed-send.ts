// Something that is shown as done at once and sent a little later, so that it can be taken back.
export interface DelayedSend {
  /** Takes it back; too late, it does nothing. Returns whether it was in time. */
  undo(): boolean;
  /** Sends it now, as when the page is left. */
  flush(): void;
}

type After = (delayMs: number, run: () => void) => () => void;

const afterTimeout: After = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

export function delaySend(
  { send, takeBack, delayMs }: { send: () => void; takeBack: () => void; delayMs: number },
  after: After = afterTimeout,
): DelayedSend {
  let isOpen = true;
  const close = (then: () => void) => {
    if (!isOpen) return false;
    isOpen = false;
    cancel();
    then();
    return true;
  };
  const cancel = after(delayMs, () => close(send));
  return { undo: () => close(takeBack), flush: () => void close(send) };
}
