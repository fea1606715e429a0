// The text of a PDF, in paragraphs. The format knows none: it has pieces of text at places on a page, so that what belongs
// together is told from where it stands.
import { getDocumentProxy } from 'unpdf';

export interface PdfText {
  readonly title: string;
  readonly author: string;
  readonly language: string;
  readonly paragraphs: readonly string[];
}

export interface PdfLimits {
  readonly pages: number;
  readonly chars: number;
}

/** A book of law; what is behind that is not read. */
const usualLimits: PdfLimits = { pages: 2_000, chars: 5_000_000 };

const nothing: PdfText = { title: '', author: '', language: '', paragraphs: [] };

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Without paragraphs where there is no text, and where it cannot be opened: broken, or locked by a password. */
export async function readPdf(bytes: Uint8Array, limits = usualLimits): Promise<PdfText> {
  let pdf: Pdf | undefined;
  try {
    // It takes the bytes for itself.
    pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, useSystemFonts: false });
    return { ...(await readInfo(pdf)), paragraphs: await readParagraphs(pdf, limits) };
  } catch {
    return nothing;
  } finally {
    await pdf?.loadingTask.destroy();
  }
}

async function readInfo(pdf: Pdf): Promise<Omit<PdfText, 'paragraphs'>> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const given = (name: string) => {
    const value = (info as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' ? value : '';
  };
  // Word writes the name of the file there, and what made it.
  const title = given('Title').replace(/^Microsoft (?:Word|PowerPoint|Excel) - /i, '');
  return {
    title: /^(?:untitled|title|slide \d+|\(anonymous\))$/i.test(title.trim()) ? '' : title,
    author: given('Author'),
    language: given('Language'),
  };
}

async function readParagraphs(pdf: Pdf, limits: PdfLimits): Promise<string[]> {
  const paragraphs = new Paragraphs();
  for (let number = 1; number <= Math.min(pdf.numPages, limits.pages); number++) {
    if (paragraphs.chars >= limits.chars) break;
    // A page that is broken is left out, and those behind it are read.
    const page = await pdf.getPage(number).catch(() => undefined);
    const content = await page?.getTextContent().catch(() => undefined);
    for (const line of linesOf(content?.items ?? [])) paragraphs.add(line);
    page?.cleanup();
  }
  return paragraphs.finish(limits.chars);
}

interface Line {
  readonly text: string;
  readonly y: number;
  readonly height: number;
  /** Where it ends on the page. */
  readonly right: number;
}

type Items = Awaited<ReturnType<Awaited<ReturnType<Pdf['getPage']>>['getTextContent']>>['items'];

function linesOf(items: Items): Line[] {
  const lines: Line[] = [];
  let text = '';
  let place = { y: 0, height: 0, right: 0 };
  const end = () => {
    const line = text.replace(/\s+/g, ' ').trim();
    if (line !== '') lines.push({ text: line, ...place });
    text = '';
    place = { y: 0, height: 0, right: 0 };
  };
  for (const item of items) {
    if (!('str' in item)) continue;
    text += item.str;
    // The end of a line may be a piece of its own, which stands nowhere.
    if (item.str.trim() !== '') {
      const [, , , , x = 0, y = 0] = item.transform;
      place = { y, height: Math.max(place.height, item.height), right: x + item.width };
    }
    if (item.hasEOL) end();
  }
  end();
  return lines.filter(
    ({ text: line }, at) => !(pageNumber.test(line) && (at === 0 || at === lines.length - 1)),
  );
}

const pageNumber = /^(?:\p{Pd} ?)?\d{1,4}(?: ?\p{Pd})?$/u;

/** More than that between two lines is a gap. */
const usualSpacing = 1.7;

class Paragraphs {
  chars = 0;
  readonly #done: string[] = [];
  #current = '';
  #last: Line | undefined;
  #widest = 0;

  add(line: Line): void {
    this.#widest = Math.max(this.#widest, line.right);
    if (this.#last && this.#isApart(this.#last, line)) this.#close();
    this.#join(line.text);
    this.#last = line;
  }

  finish(maxChars: number): string[] {
    this.#close();
    let left = maxChars;
    return this.#done
      .map((paragraph) => {
        const cut = paragraph.slice(0, Math.max(0, left));
        left -= paragraph.length;
        return cut;
      })
      .filter((paragraph) => paragraph !== '');
  }

  #isApart(last: Line, next: Line): boolean {
    const isEnded = /[.!?:。！？]["')\]”’]*$/.test(last.text);
    if (/^[•▪◦‣]/.test(next.text)) return true;
    const down = last.y - next.y;
    // Up is where the next column or page begins, which may be in the middle of a sentence.
    if (down <= 0) return isEnded || !/^\p{Ll}/u.test(next.text);
    if (down > usualSpacing * Math.max(last.height, next.height)) return true;
    // A heading, and what stands below it.
    if (Math.abs(last.height - next.height) > 0.15 * Math.max(last.height, next.height)) return true;
    return isEnded && last.right < this.#widest * 0.85;
  }

  #join(text: string): void {
    // A word that was broken at the end of a line; a capital behind it would make it a compound.
    if (/\p{L}-$/u.test(this.#current) && /^\p{Ll}/u.test(text))
      this.#current = this.#current.slice(0, -1) + text;
    else this.#current += this.#current === '' ? text : ` ${text}`;
  }

  #close(): void {
    if (this.#current !== '') this.#done.push(this.#current);
    this.chars += this.#current.length;
    this.#current = '';
  }
}
