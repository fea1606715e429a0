// What a model wrote, piece by piece, as it may be shown: a passage may have told it to write something else.
import { withoutUnseen } from '../without-unseen.ts';

/** Up to here a text can be judged: words are whole. What is written without spaces is judged by the character. */
const boundary =
  /[\s\u3000-\u9fff\uac00-\ud7af\uff00-\uffef](?=[^\s\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]*$)/;
const longestBracket = 60;
const longestHeld = 2_000;

const targets = /\]\([^)\s]*\)?/g;
/** With a scheme, or as a browser would add one. A word with a colon, such as "data:", is none. */
const links =
  /(?:\b[a-z][a-z0-9+.-]*:\/\/|\bwww\.|\b(?:https?|ftp|javascript|data|vbscript|mailto):(?=\S)|(?<![\w/\\:])[/\\]{2}(?=[^\s/\\]))[^\s<>"'`\])]*/gi;
const citation = / ?\[\s*(\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)\s*\]/g;

export class AnswerText {
  readonly #known: ReadonlySet<number>;
  readonly #used = new Set<number>();
  #held = '';

  /** The numbers of the passages that there are. */
  constructor(known: Iterable<number>) {
    this.#known = new Set(known);
  }

  /** Those that were cited so far, in rising order. */
  get citations(): number[] {
    return [...this.#used].sort((a, b) => a - b);
  }

  /** As much of it as can be shown by now. */
  push(piece: string): string {
    this.#held += piece;
    const end = this.#held.length > longestHeld ? this.#held.length : this.#safeEnd();
    const shown = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return this.#clean(shown);
  }

  end(): string {
    const shown = this.#clean(this.#held);
    this.#held = '';
    return shown;
  }

  #safeEnd(): number {
    const found = boundary.exec(this.#held);
    // Without the space itself, which goes if the citation after it does.
    const end = found ? found.index + (/\s/.test(found[0]) ? 0 : 1) : 0;
    const open = this.#held.lastIndexOf('[', end);
    const isOpen = open !== -1 && !this.#held.slice(open, end).includes(']');
    if (!isOpen || this.#held.length - open > longestBracket) return end;
    return /\s/.test(this.#held[open - 1] ?? '') ? open - 1 : open;
  }

  #clean(text: string): string {
    return withoutUnseen(text)
      .replace(targets, ']')
      .replace(links, '')
      .replace(citation, (cited, list: string) => {
        const numbers = [...new Set(list.split(/\D+/).map(Number))].filter((n) => this.#known.has(n));
        for (const n of numbers) this.#used.add(n);
        if (numbers.length === 0) return '';
        return `${cited.startsWith(' ') ? ' ' : ''}[${numbers.join(', ')}]`;
      });
  }
}
