// From the bytes that an address sent to what is kept of them. Sanitising comes last, after everything that writes HTML.
import { decodeText } from '../../html/decode-text.ts';
import { plainText } from '../../html/plain-text.ts';
import { sanitiseHtml } from '../../html/sanitise-html.ts';
import { extractContent } from '../extract/extract-content.ts';
import { parsePage } from '../extract/parse-page.ts';
import { firstParagraph } from './content-facts.ts';
import { countWords } from './cut-text.ts';
import { cutText, factText } from './fact-text.ts';
import { languageTag } from './language-tag.ts';
import { maxChars, noFacts, type PageFacts, pageFacts } from './page-facts.ts';
import { baseUrlOf } from './page-tags.ts';
import { readPdf } from './read-pdf.ts';

export interface FetchedPage {
  readonly bytes: Uint8Array;
  /** As the server says, without parameters; empty if it does not. */
  readonly mediaType: string;
  readonly charset: string | undefined;
  /** Where it was found in the end, after redirects. */
  readonly url: string;
}

export interface PageCopy {
  readonly facts: PageFacts;
  /** What there is to read, sanitised; empty if there is nothing worth keeping. */
  readonly html: string;
  readonly text: string;
  readonly wordCount: number;
}

/** Of the readable copy; what is behind that is left out. */
const usualMaxBytes = 5 * 1024 * 1024;

export async function readPage(page: FetchedPage, maxBytes = usualMaxBytes): Promise<PageCopy> {
  switch (kindOf(page)) {
    case 'html':
      return readHtml(page, maxBytes);
    case 'text':
      return readText(page, maxBytes);
    case 'pdf':
      return readPdfPage(page, maxBytes);
    case 'image': {
      const html = readable(`<img src="${page.url.replaceAll('"', '%22')}" alt="">`, page.url, maxBytes);
      return copyOf({ ...noFacts, imageUrls: [page.url] }, html);
    }
    default:
      return copyOf(noFacts, '');
  }
}

function kindOf({ bytes, mediaType }: FetchedPage): 'html' | 'text' | 'pdf' | 'image' | undefined {
  const type = mediaType.trim().toLowerCase();
  if (/^image\//.test(type)) return 'image';
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1_024)).toString(
    'latin1',
  );
  // Servers say all kinds of things of a PDF, and there is no mistaking it.
  if (type === 'application/pdf' || type === 'application/x-pdf' || start.startsWith('%PDF-')) return 'pdf';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (/^(?:(?:text|application)\/xml|)$/.test(type))
    return /<html[\s>]|<!doctype html/i.test(start) ? 'html' : undefined;
  return /^text\/(?:plain|(?:x-)?markdown)$/.test(type) ? 'text' : undefined;
}

function readHtml(page: FetchedPage, maxBytes: number): PageCopy {
  const document = parsePage(textOf(page));
  const { html: extracted } = extractContent(document, page.url);
  const html = readable(extracted, baseUrlOf(document, page.url), maxBytes);
  return copyOf(pageFacts(document, { url: page.url, content: html }), html);
}

function readText(page: FetchedPage, maxBytes: number): PageCopy {
  const text = textOf(page).replace(/\r\n?/g, '\n');
  const paragraphs = text.slice(0, maxBytes).split(/\n[ \t]*\n/);
  const written = paragraphs.map((one) => paragraph(one).replaceAll('\n', '<br>')).join('\n');
  const html = readable(written, page.url, maxBytes);
  const [, heading = ''] = /^#[ \t]+(.*)$/m.exec(text.slice(0, 5_000)) ?? [];
  return copyOf(factsOf({ title: /markdown/i.test(page.mediaType) ? heading : '' }, html), html);
}

async function readPdfPage({ bytes, url }: FetchedPage, maxBytes: number): Promise<PageCopy> {
  const { paragraphs, ...said } = await readPdf(bytes);
  const html = readable(paragraphs.map(paragraph).join('\n'), url, maxBytes);
  return copyOf(factsOf(said, html), html);
}

/** For what is no HTML, and says little of itself. */
function factsOf(said: { title: string; author?: string; language?: string }, html: string): PageFacts {
  return {
    ...noFacts,
    title: factText(said.title, maxChars.title),
    author: factText(said.author ?? '', maxChars.author),
    language: languageTag(said.language ?? ''),
    excerpt: cutText(firstParagraph(html), maxChars.excerpt),
  };
}

function textOf({ bytes, mediaType, charset }: FetchedPage): string {
  return decodeText({
    bytes,
    contentType: charset === undefined ? mediaType : `${mediaType}; charset=${charset}`,
  });
}

function paragraph(text: string): string {
  const written = text.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return written === '' ? '' : `<p>${written}</p>`;
}

/** Sanitised, and cut where it would be too large: the sanitiser closes what is left open. */
function readable(html: string, baseUrl: string, maxBytes: number): string {
  let source = html.slice(0, maxBytes);
  for (;;) {
    const clean = sanitiseHtml(source, { baseUrl }).trim();
    const size = Buffer.byteLength(clean);
    if (size <= maxBytes) return clean;
    // Addresses and letters may take more room than they did.
    source = source.slice(0, Math.floor(source.length * Math.min(0.9, maxBytes / size)));
  }
}

function copyOf(facts: PageFacts, html: string): PageCopy {
  const text = plainText(html);
  const isEmpty = text === '' && !/<(?:img|video|audio|iframe) /.test(html);
  return { facts, html: isEmpty ? '' : html, text, wordCount: countWords(text) };
}
