// The best passage of each document, of the best documents.

export interface Scored {
  readonly seq: number;
  readonly kind: string;
  readonly refId: number;
  readonly score: number;
}

export class BestDocuments {
  readonly #limit: number;
  readonly #documents = new Map<string, Scored>();
  /** What a passage must be better than to matter. */
  least = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(scored: Scored): void {
    const document = `${scored.kind} ${scored.refId}`;
    const before = this.#documents.get(document);
    if (before && before.score >= scored.score) return;
    this.#documents.set(document, scored);
    // Cut now and then, not each time.
    if (this.#documents.size >= this.#limit * 4 + 64) this.#cut();
  }

  #cut(): void {
    const kept = this.inOrder();
    this.#documents.clear();
    for (const scored of kept) this.#documents.set(`${scored.kind} ${scored.refId}`, scored);
    this.least = kept.length === this.#limit ? (kept.at(-1)?.score ?? this.least) : this.least;
  }

  inOrder(): Scored[] {
    const all = [...this.#documents.values()];
    return all.sort((a, b) => b.score - a.score || b.seq - a.seq).slice(0, this.#limit);
  }
}
