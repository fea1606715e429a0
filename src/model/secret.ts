/** Text that must not be seen. It prints, logs and serialises as `[secret]`; only `reveal()` gives it away. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  /** A text of somebody else, such as an error of a server, which may repeat the secret. */
  maskedIn(text: string): string {
    return this.#text === '' ? text : text.replaceAll(this.#text, '[secret]');
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
