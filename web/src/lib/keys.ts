// The keyboard: one listener, sequences such as `g u`, and no key taken while somebody types.
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Keys that belong together, each with what it does. */
export interface KeyPart {
  readonly title: string;
  readonly keys: readonly (readonly [names: readonly string[], what: string])[];
}

const sequenceMs = 1_000;
/** First keys of a sequence. */
const leaders = new Set(['g']);

/** Keys as they are typed: `j`, `A` (with shift), `?`, `Enter`, `g u`. Returns how to stop listening. */
export function listenForKeys(target: Document, keys: () => KeyMap): () => void {
  let leader = '';
  let led = 0;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target)) return;
    const map = keys();
    const name = leader && event.timeStamp - led < sequenceMs ? `${leader} ${event.key}` : event.key;
    leader = '';
    if (leaders.has(name)) {
      leader = name;
      led = event.timeStamp;
      event.preventDefault();
      return;
    }
    // Enter and space belong to the button that has the focus, Enter to a link.
    if (name === 'Enter' && isControl(event.target)) return;
    if (name === ' ' && isControl(event.target) && !isLink(event.target)) return;
    const run = map[name];
    if (!run) return;
    event.preventDefault();
    run(event);
  };
  target.addEventListener('keydown', onKey);
  return () => target.removeEventListener('keydown', onKey);
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  if (!element?.tagName) return false;
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
  const isTick = element instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(element.type);
  return (
    (isField && !isTick) || element.isContentEditable || Boolean(element.closest?.('dialog,[role="menu"]'))
  );
}

function isLink(target: EventTarget | null): boolean {
  return Boolean((target as HTMLElement | null)?.closest?.('a[href]'));
}

function isControl(target: EventTarget | null): boolean {
  return Boolean(
    (target as HTMLElement | null)?.closest?.('a,button,summary,[role="button"],[role="menuitem"]'),
  );
}
