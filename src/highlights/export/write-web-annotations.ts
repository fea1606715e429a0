// Highlights as Web Annotations: https://www.w3.org/TR/annotation-model/, a collection of one page.
import type { Annotation, Comment, Json, Note, Resource } from '../../model/highlight.ts';
import { type ExportedAnnotation, fieldOf, isoTime, isWebAddress, pageOf } from './exported-resource.ts';
import type { HighlightWriter } from './highlight-writer.ts';

/** The standard has no word for the colour of a highlight. */
const context = ['http://www.w3.org/ns/anno.jsonld', { color: 'urn:lectern:color' }];
const collection = 'urn:lectern:highlights';

export function webAnnotationWriter(): HighlightWriter {
  let total = 0;
  const item = (value: object) => `${total++ === 0 ? '' : ','}\n  ${JSON.stringify(value)}`;
  return {
    *begin() {
      const head = { '@context': context, id: collection, type: 'AnnotationCollection', label: 'Highlights' };
      const page = { id: `${collection}:1`, type: 'AnnotationPage', partOf: collection, startIndex: 0 };
      yield `${JSON.stringify(head).slice(0, -1)},"first":${JSON.stringify(page).slice(0, -1)},"items":[`;
    },
    *write({ resource, annotations, notes }) {
      for (const exported of annotations) yield item(toHighlight(resource, exported));
      for (const note of notes) yield item(toComment(resource, note));
    },
    // How many there are is known at the end, and JSON does not mind where it is said.
    *end() {
      yield `\n]},"total":${total}}\n`;
    },
  };
}

function toHighlight(resource: Resource, { annotation, comments }: ExportedAnnotation): object {
  return {
    id: `urn:lectern:annotation:${annotation.id}`,
    type: 'Annotation',
    motivation: comments.length === 0 ? 'highlighting' : ['highlighting', 'commenting'],
    ...timesOf(annotation),
    ...(annotation.color === null ? {} : { color: annotation.color }),
    ...(comments.length === 0 ? {} : { body: comments.map(toBody) }),
    target: { ...targetOf(resource), selector: selectorsOf(resource, annotation) },
  };
}

function toComment(resource: Resource, note: Note): object {
  return {
    id: `urn:lectern:note:${note.id}`,
    type: 'Annotation',
    motivation: 'commenting',
    ...timesOf(note),
    body: { type: 'TextualBody', value: note.content, format: 'text/plain', purpose: 'commenting' },
    target: targetOf(resource),
  };
}

function toBody(comment: Comment): object {
  return {
    id: `urn:lectern:comment:${comment.id}`,
    type: 'TextualBody',
    value: comment.content,
    format: 'text/plain',
    purpose: 'commenting',
    ...timesOf(comment),
  };
}

function timesOf({ madeAt, updatedAt }: Annotation | Comment | Note): object {
  const [created, modified] = [isoTime(madeAt), isoTime(updatedAt)];
  return { ...(created === null ? {} : { created }), ...(modified === null ? {} : { modified }) };
}

function targetOf({ id, url, title }: Resource): object {
  return {
    type: 'SpecificResource',
    source: isWebAddress(url) ? url : `urn:lectern:resource:${id}`,
    ...(title === '' ? {} : { 'dcterms:title': title }),
  };
}

function selectorsOf({ type }: Resource, { text, boundary }: Annotation): object[] {
  const page = pageOf(boundary);
  const [start, end] = ['start', 'end'].map((name) => fieldOf(fieldOf(boundary, 'position'), name));
  return [
    quoteOf(text, fieldOf(boundary, 'quote')),
    ...(isOffset(start) && isOffset(end) && start <= end
      ? [{ type: 'TextPositionSelector', start, end }]
      : []),
    // RFC 3778 counts pages from 1, as they lie in the file.
    ...(type === 'pdf' && page !== undefined && /^[1-9]\d{0,8}$/.test(page)
      ? [{ type: 'FragmentSelector', conformsTo: 'http://tools.ietf.org/rfc/rfc3778', value: `page=${page}` }]
      : []),
  ];
}

function quoteOf(text: string, quote: Json | undefined): object {
  const [exact, prefix, suffix] = ['exact', 'prefix', 'suffix'].map((name) => fieldOf(quote, name));
  return {
    type: 'TextQuoteSelector',
    exact: typeof exact === 'string' ? exact : text,
    ...(typeof prefix === 'string' ? { prefix } : {}),
    ...(typeof suffix === 'string' ? { suffix } : {}),
  };
}

function isOffset(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
