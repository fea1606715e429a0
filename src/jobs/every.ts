/** Runs `task` repeatedly, `periodMs` after its last end. Stopping aborts the signal of a running task and waits for its end. */
export function every(
  periodMs: number,
  task: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
) {
  let underWay: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const stopping = new AbortController();

  const plan = () => {
    timer = setTimeout(() => {
      underWay = task(stopping.signal)
        .catch(onError)
        .then(() => {
          if (!stopping.signal.aborted) plan();
        });
    }, periodMs);
  };
  plan();

  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await underWay;
    },
  };
}
