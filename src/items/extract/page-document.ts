// What the parts that read a page need of its document. The project is checked without the types of browsers.

export interface PageNode {
  /** 1 for an element, 3 for text. */
  readonly nodeType: number;
  /** In lower case. */
  readonly localName: string;
  readonly parentNode: PageNode | null;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly textContent: string | null;
}

export interface PageElement extends PageNode {
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  getAttribute(name: string): string | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

export interface Document extends PageNode {
  readonly title: string;
  readonly documentElement: PageElement;
  readonly head: PageElement;
  readonly body: PageElement;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

export const elementNode = 1;
export const textNode = 3;
