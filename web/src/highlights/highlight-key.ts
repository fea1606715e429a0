// The key h, from the page that hears it to the article that has a selection.
let press: (() => void) | undefined;

/** Returns how to stop listening. */
export function onHighlightKey(run: () => void): () => void {
  press = run;
  return () => {
    if (press === run) press = undefined;
  };
}

export const pressHighlightKey = (): void => press?.();
