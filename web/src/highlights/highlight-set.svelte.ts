// Highlights that are shown together, and the only way to change one: at once, and back to what it was if the server will
// not have it.
import { messageOf } from '../lib/api.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';
import * as changes from './changes.ts';
import type { Mark } from './marks.ts';
import type { Highlight, HighlightNote } from './types.ts';
import { highlightingWords } from './words.ts';

export function tellFailure(error: unknown, again?: () => unknown): void {
  const action = again && { label: words().actions.retry, run: () => void again() };
  toast(messageOf(error), { bad: true, ...(action && { action }) });
}

export class HighlightSet {
  /** The newest first. */
  list = $state.raw<readonly Highlight[]>([]);

  find(id: number): Highlight | undefined {
    return this.list.find((one) => one.id === id);
  }

  put(highlight: Highlight): void {
    const others = this.list.filter(({ id }) => id !== highlight.id);
    const at = others.findIndex(({ made_at }) => made_at < highlight.made_at);
    this.list = others.toSpliced(at < 0 ? others.length : at, 0, highlight);
  }

  drop(id: number): void {
    this.list = this.list.filter((one) => one.id !== id);
  }

  /** Whether it belongs to what is shown here. */
  belongs(_: Highlight): boolean {
    return true;
  }

  #set(id: number, fields: Partial<Highlight>): void {
    this.list = this.list.map((one) => (one.id === id ? { ...one, ...fields } : one));
  }

  #setNotes(id: number, change: (notes: HighlightNote[]) => HighlightNote[]): void {
    const highlight = this.find(id);
    if (highlight) this.#set(id, { comments: change(highlight.comments) });
  }

  async recolour({ id, color: before }: Highlight, color: Mark): Promise<void> {
    this.#set(id, { color });
    try {
      await changes.recolour(id, color);
    } catch (error) {
      this.#set(id, { color: before });
      tellFailure(error);
    }
  }

  /** Undoing it makes a copy, so that it waits until the deletion has arrived. */
  async remove(highlight: Highlight): Promise<void> {
    this.drop(highlight.id);
    const sent = changes.deleteHighlight(highlight.id);
    const undo = async () => {
      try {
        await sent;
      } catch {
        return; // It came back by itself.
      }
      await this.restore(highlight);
    };
    const close = toast(highlightingWords().removed, {
      action: { label: words().actions.undo, run: () => void undo() },
    });
    try {
      await sent;
    } catch (error) {
      close();
      this.put(highlight);
      tellFailure(error);
    }
  }

  async restore(highlight: Highlight): Promise<Highlight | undefined> {
    try {
      const copy = await changes.restoreHighlight(highlight.id);
      if (this.belongs(copy)) this.put(copy);
      return copy;
    } catch (error) {
      tellFailure(error, () => this.restore(highlight));
      return undefined;
    }
  }

  /** Whether the server has it: what was typed stays in its field until then. */
  async addNote({ id }: Highlight, content: string): Promise<boolean> {
    try {
      const note = await changes.addNote(id, content);
      this.#setNotes(id, (notes) => [...notes, note]);
      return true;
    } catch (error) {
      tellFailure(error);
      return false;
    }
  }

  async changeNote({ id }: Highlight, noteId: number, content: string): Promise<boolean> {
    try {
      const note = await changes.changeNote(noteId, content);
      this.#setNotes(id, (notes) => notes.map((one) => (one.id === noteId ? { ...one, ...note } : one)));
      return true;
    } catch (error) {
      tellFailure(error);
      return false;
    }
  }

  async removeNote({ id }: Highlight, note: HighlightNote): Promise<void> {
    const before = this.find(id)?.comments ?? [];
    this.#setNotes(id, (notes) => notes.filter((one) => one.id !== note.id));
    try {
      await changes.deleteNote(note.id);
    } catch (error) {
      this.#setNotes(id, () => before);
      tellFailure(error);
      return;
    }
    const undo = async () => {
      try {
        const copy = await changes.restoreNote(note.id);
        this.#setNotes(id, (notes) => [...notes, copy]);
      } catch (error) {
        tellFailure(error);
      }
    };
    toast(highlightingWords().noteRemoved, {
      action: { label: words().actions.undo, run: () => void undo() },
    });
  }
}
