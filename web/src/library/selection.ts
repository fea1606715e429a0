// Which items are chosen. Clicking chooses one or lets it go; with shift, all from the last one to this.
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Where a range begins. */
  readonly anchor: string | null;
}

export const nothing: Selection = { ids: new Set(), anchor: null };

export function toggle({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** `order`: the ids as they are listed. */
export function extendTo(selection: Selection, id: string, order: readonly string[]): Selection {
  const from = selection.anchor === null ? -1 : order.indexOf(selection.anchor);
  const to = order.indexOf(id);
  if (from < 0 || to < 0) return toggle(selection, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...selection.ids, ...range]), anchor: selection.anchor };
}

/** Those that are still there. */
export function within({ ids, anchor }: Selection, there: ReadonlySet<string>): Selection {
  const left = new Set([...ids].filter((id) => there.has(id)));
  return { ids: left, anchor: anchor !== null && there.has(anchor) ? anchor : null };
}
