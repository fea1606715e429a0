// The elements of HTML by what becomes of them. Whatever is not named here is no HTML.

/** Shown as they are, with the attributes of `clean-attributes.ts`. */
export const shownElements: ReadonlySet<string> = new Set(
  `a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup dd del
  details dfn dir div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i iframe img ins kbd li
  main mark nav ol p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table tbody
  td tfoot th thead time tr track tt u ul var video wbr`.split(/\s+/),
);

/** Gone with all that is in them. */
export const droppedElements: ReadonlySet<string> = new Set(
  `datalist frameset head math noembed noframes optgroup option plaintext script select style svg template textarea title
  xmp`.split(/\s+/),
);

/** Gone, while what is in them stays. */
export const unwrappedElements: ReadonlySet<string> = new Set(
  `applet area base basefont bgsound blink body button canvas command data dialog embed fieldset font form frame html image
  input isindex keygen label layer legend link listing map marquee menu menuitem meta meter multicol nextid nobr noscript
  object output param portal progress rb rtc search slot spacer`.split(/\s+/),
);

/** Without content, so never closed. */
export const voidHtmlElements: ReadonlySet<string> = new Set(
  `area base basefont bgsound br col command embed frame hr image img input keygen link meta param source track
  wbr`.split(/\s+/),
);

/** Their content is no markup: it ends at their own end tag and nowhere else. */
export const rawTextElements: ReadonlySet<string> = new Set(
  'iframe noembed noframes plaintext script style textarea title xmp'.split(' '),
);

export function isHtmlName(name: string): boolean {
  return shownElements.has(name) || droppedElements.has(name) || unwrappedElements.has(name);
}

/** A start tag of these ends a paragraph that is open. */
export const blockElements: ReadonlySet<string> = new Set(
  `address article aside blockquote center details dir div dl figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup
  hr main nav ol p pre section table ul`.split(/\s+/),
);
