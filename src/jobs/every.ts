/** Does `task` again and again, `periodMs` after it last ended. Stopping waits for one that is under way. */
export function every(periodMs: number, task: () => Promise<void>, onError: (error: unknown) => void) {
  let underWay: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const plan = () => {
    timer = setTimeout(() => {
      underWay = task()
        .catch(onError)
        .then(() => {
          if (!stopped) plan();
        });
    }, periodMs);
  };
  plan();

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
