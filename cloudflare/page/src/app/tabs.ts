// Tabs, by the pattern of the ARIA practices: one stop for the Tab key, arrows between them.
import { make } from './dom.ts';

export interface Tab {
  readonly name: string;
  /** Called once, when it is first opened. */
  readonly fill: (panel: HTMLElement) => void | Promise<void>;
}

export function createTabs(label: string, tabs: readonly Tab[]) {
  const filled = new Set<number>();
  const panels = tabs.map(({ name }, n) =>
    make('div', { class: 'tab-panel', role: 'tabpanel', id: `panel-${n}`, 'aria-label': name, hidden: '' }),
  );
  const buttons = tabs.map(({ name }, n) => {
    const tab = make('button', { type: 'button', role: 'tab', 'aria-controls': `panel-${n}` }, name);
    tab.addEventListener('click', () => open(n));
    return tab;
  });

  function open(at: number): void {
    for (const [n, tab] of buttons.entries()) {
      tab.setAttribute('aria-selected', String(n === at));
      tab.tabIndex = n === at ? 0 : -1;
    }
    for (const [n, panel] of panels.entries()) panel.hidden = n !== at;
    const panel = panels[at];
    if (!panel || filled.has(at)) return;
    filled.add(at);
    void tabs[at]?.fill(panel);
  }

  const list = make('div', { class: 'segments', role: 'tablist', 'aria-label': label }, ...buttons);
  list.addEventListener('keydown', ({ key }) => {
    const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
    const at = buttons.findIndex((tab) => tab.matches(':focus'));
    const to = (at + by + buttons.length) % buttons.length;
    if (by === 0 || at < 0) return;
    open(to);
    buttons[to]?.focus();
  });
  return { element: make('div', { class: 'tabs' }, list, ...panels), open };
}
