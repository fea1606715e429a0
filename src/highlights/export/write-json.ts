// Highlights as JSON: everything that is known of them, in the words of the API.
import type { Annotation, Comment, Note, Resource } from '../../model/highlight.ts';
import { isoTime } from './exported-resource.ts';
import type { HighlightWriter } from './highlight-writer.ts';

export function jsonWriter(): HighlightWriter {
  let isFirst = true;
  return {
    *begin() {
      yield '{"format":"lectern-highlights","version":1,"resources":[';
    },
    *write({ resource, annotations, notes }) {
      yield `${isFirst ? '' : ','}\n${opened(resourceFields(resource))},"notes":[`;
      isFirst = false;
      yield* listed(notes, (note) => JSON.stringify(wordFields(note)));
      yield '],"annotations":[';
      yield* listed(annotations, ({ annotation, comments }) =>
        JSON.stringify({ ...annotationFields(annotation), comments: comments.map(wordFields) }),
      );
      yield ']}';
    },
    *end() {
      yield '\n]}\n';
    },
  };
}

/** A resource may have more annotations than fit into one text. */
function opened(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}

function* listed<T>(all: readonly T[], write: (one: T) => string): Generator<string> {
  for (const [at, one] of all.entries()) yield `${at === 0 ? '' : ','}\n  ${write(one)}`;
}

function keptFields({
  id,
  source,
  originalId,
  createdAt,
  updatedAt,
  deletedAt,
}: Resource | Annotation | Comment | Note) {
  return {
    id,
    source,
    originalId,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    deletedAt: isoTime(deletedAt),
  };
}

function resourceFields(resource: Resource) {
  const { type, title, author, url, config } = resource;
  return { ...keptFields(resource), type, title, author, url, config };
}

function annotationFields(annotation: Annotation) {
  const { text, color, boundary, madeAt } = annotation;
  return { ...keptFields(annotation), text, color, boundary, madeAt: isoTime(madeAt) };
}

function wordFields(words: Comment | Note) {
  return { ...keptFields(words), content: words.content, madeAt: isoTime(words.madeAt) };
}
