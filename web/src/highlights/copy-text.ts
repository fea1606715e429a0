import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';

/** Where the browser does not allow it, the text is shown, so that it can be copied by hand. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(words().actions.copied, { forMs: 2_000 });
  } catch {
    toast(text, { forMs: 0 });
  }
}
