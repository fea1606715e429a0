// Short messages at the bottom, each with at most one thing to do. A failure stays until it is put away.
export interface Toast {
  id: number;
  text: string;
  bad: boolean;
  action?: { label: string; run: () => void };
}

export const toasts: { list: Toast[] } = $state({ list: [] });
let next = 1;

interface ToastOptions {
  bad?: boolean;
  action?: { label: string; run: () => void };
  /** 0: until it is put away. */
  forMs?: number;
}

/** Returns how to take it away again. */
export function toast(
  text: string,
  { bad = false, action, forMs = bad ? 0 : 6_000 }: ToastOptions = {},
): () => void {
  const id = next++;
  // Never a pile: the newest three.
  toasts.list = [...toasts.list.slice(-2), { id, text, bad, ...(action && { action }) }];
  const close = () => {
    toasts.list = toasts.list.filter((one) => one.id !== id);
  };
  if (forMs > 0) setTimeout(close, forMs);
  return close;
}

/** What the newest message offers, by a key: it may be gone before one gets there by Tab. */
export function undoNewest(): void {
  const newest = toasts.list.findLast(({ action }) => action);
  if (!newest?.action) return;
  toasts.list = toasts.list.filter(({ id }) => id !== newest.id);
  newest.action.run();
}
