// Workers AI and Vectorize run at Cloudflare alone. These stand in for them: they keep in KV what they were given, and give
// vectors that say nothing about meaning.
import type { EmbeddingModels, VectorStore } from '../../../cloudflare/src/vectors.ts';

export class FakeEmbeddingModels implements EmbeddingModels {
  readonly #kept: KVNamespace;

  constructor(kept: KVNamespace) {
    this.#kept = kept;
  }

  async run(model: string, { text }: { text: string[] }): Promise<{ data: number[][] }> {
    await this.#kept.put(`test:embedded:${crypto.randomUUID()}`, JSON.stringify({ model, text }));
    return { data: text.map((one) => [one.length, one.charCodeAt(0) || 0]) };
  }
}

export class FakeVectorStore implements VectorStore {
  readonly #kept: KVNamespace;

  constructor(kept: KVNamespace) {
    this.#kept = kept;
  }

  async upsert(vectors: VectorizeVector[]): Promise<VectorizeAsyncMutation> {
    for (const { id, values, metadata } of vectors)
      await this.#kept.put(`test:vector:${id}`, JSON.stringify({ values: [...values], metadata }));
    return { mutationId: crypto.randomUUID() };
  }

  async deleteByIds(ids: string[]): Promise<VectorizeAsyncMutation> {
    for (const id of ids) await this.#kept.delete(`test:vector:${id}`);
    return { mutationId: crypto.randomUUID() };
  }
}
