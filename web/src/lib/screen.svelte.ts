// How much room there is: one pane at a time in a hand, two on a table, all of them on a desk.
import { tick } from 'svelte';
import type { Layout } from './setting.ts';

const phone = matchMedia('(max-width: 44rem)');
const desk = matchMedia('(min-width: 68rem)');
const currentLayout = (): Layout => (phone.matches ? 'phone' : desk.matches ? 'desk' : 'medium');

export const screen: { layout: Layout } = $state({ layout: currentLayout() });

for (const query of [phone, desk])
  query.addEventListener('change', () => {
    screen.layout = currentLayout();
  });

/** One thing takes the place of another: at once where the system asks for less motion, or the browser knows no other way. */
export function transition(change: () => void): void {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (calm || !document.startViewTransition) {
    change();
    return;
  }
  document.startViewTransition(async () => {
    change();
    await tick();
  });
}
