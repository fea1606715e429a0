// How many cards stand side by side, and how high a row of them is: all of one size, so that ten thousand cost what thirty do.
export interface Grid {
  readonly columns: number;
  readonly cardWidth: number;
  /** With the space below it. */
  readonly rowHeight: number;
}

export interface GridSize {
  /** Of the room for cards, without its edges. */
  readonly width: number;
  readonly leastWidth: number;
  readonly gap: number;
  /** Below the picture. */
  readonly textHeight: number;
  readonly rowGap: number;
}

export function gridOf({ width, leastWidth, gap, textHeight, rowGap }: GridSize): Grid {
  const columns = Math.max(1, Math.floor((width + gap) / (leastWidth + gap)));
  const cardWidth = Math.max(0, (width - gap * (columns - 1)) / columns);
  return { columns, cardWidth, rowHeight: Math.round((cardWidth * 2) / 3 + textHeight + rowGap) };
}
