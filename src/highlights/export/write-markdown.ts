// Highlights as a document for people.
import type { Annotation, Comment, Note } from '../../model/highlight.ts';
import { escapeInline, escapeLines, linkTarget } from './escape-markdown.ts';
import { isoTime, isWebAddress, pageOf } from './exported-resource.ts';
import type { HighlightWriter } from './highlight-writer.ts';

export function markdownWriter(): HighlightWriter {
  return {
    *begin() {
      yield '# Highlights\n';
    },
    *write({ resource, annotations, notes }) {
      const title = escapeInline(resource.title) || 'Untitled';
      yield `\n## ${isWebAddress(resource.url) ? `[${title}](${linkTarget(resource.url)})` : title}\n`;
      if (resource.author.trim() !== '') yield `\nby ${escapeInline(resource.author)}\n`;
      for (const { annotation, comments } of annotations) {
        yield* writeAnnotation(annotation);
        for (const comment of comments) yield writeWords(comment);
      }
      if (notes.length > 0) yield '\n### Notes\n';
      for (const note of notes) yield writeWords(note);
    },
    *end() {},
  };
}

function* writeAnnotation({ text, color, boundary, madeAt }: Annotation): Generator<string> {
  const lines = escapeLines(text);
  yield `\n${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n`;
  const page = pageOf(boundary);
  const about = [page === undefined ? '' : `page ${page}`, color ?? '', dayOf(madeAt)].map(escapeInline);
  const told = about.filter((part) => part !== '').join(', ');
  if (told !== '') yield `\n*${told}*\n`;
}

function writeWords({ content, madeAt }: Comment | Note): string {
  const [first = '', ...rest] = escapeLines(content);
  const day = dayOf(madeAt);
  const lines = [`- ${day === '' ? '' : `*${day}* `}${first}`, ...rest.map((line) => `  ${line}`)];
  return `\n${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function dayOf(madeAt: number): string {
  return isoTime(madeAt)?.slice(0, 10) ?? '';
}
