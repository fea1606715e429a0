// Elements are made of text and nodes, never of markup: titles and snippets are what strangers wrote.

type Child = Node | string | false | null | undefined;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | undefined>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(name, value);
  element.append(...children.filter((child): child is Node | string => !!child));
  return element;
}

export function button(text: string, kind: string, onClick: () => void): HTMLButtonElement {
  const element = make('button', { type: 'button', class: `button ${kind}` }, text);
  element.addEventListener('click', onClick);
  return element;
}

export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no ${id}`);
  return element;
}
