// Which rows of a long list are in the document: those in sight, and a few around them. All rows are of one height,
// so that a list of ten thousand costs what a list of twenty does.
export interface ListWindow {
  /** The first row, and the one after the last. */
  from: number;
  to: number;
  /** Empty space above and below, in px. */
  before: number;
  after: number;
}

export interface ListView {
  scrollTop: number;
  height: number;
  rowHeight: number;
  count: number;
  overscan?: number;
}

export function listWindow({ scrollTop, height, rowHeight, count, overscan = 6 }: ListView): ListWindow {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight) - overscan;
  const last = Math.ceil((Math.max(0, scrollTop) + height) / rowHeight) + overscan;
  const to = Math.min(count, Math.max(0, last));
  const from = Math.min(to, Math.max(0, first));
  return { from, to, before: from * rowHeight, after: (count - to) * rowHeight };
}

/** Whether the next page should be on its way: when less than three screens, or thirty rows, are left. */
export function nearsEnd({ scrollTop, height, rowHeight, count }: ListView): boolean {
  const left = count * rowHeight - (scrollTop + height);
  return left < Math.max(3 * height, 30 * rowHeight);
}

/** The scroll position that shows a row with some of what surrounds it; as it is, if the row can be seen already. */
export function scrollToRow(index: number, { scrollTop, height, rowHeight, count }: ListView): number {
  const top = index * rowHeight;
  const margin = Math.min(rowHeight, Math.max(0, (height - rowHeight) / 2));
  const most = Math.max(0, count * rowHeight - height);
  if (top - margin < scrollTop) return Math.max(0, Math.min(most, top - margin));
  if (top + rowHeight + margin > scrollTop + height)
    return Math.max(0, Math.min(most, top + rowHeight + margin - height));
  return scrollTop;
}

/** How many rows have been scrolled out of sight at the top. */
export function rowsPassed({ scrollTop, rowHeight, count }: ListView): number {
  return Math.min(count, Math.max(0, Math.floor(scrollTop / rowHeight)));
}
