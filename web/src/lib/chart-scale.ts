// Where the parts of a chart go. Nothing here knows of a page.
export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Of something that is not nothing, at least this much can be seen. */
const leastHeight = 1.5;

/** One bar for each value, on the ground of a box of this size. */
export function barsOf(
  values: readonly number[],
  box: { width: number; height: number; top?: number },
): Bar[] {
  const top = box.top ?? Math.max(0, ...values);
  const step = values.length > 0 ? box.width / values.length : 0;
  const gap = Math.min(3, step * 0.25);
  return values.map((value, n) => {
    const height = value > 0 && top > 0 ? Math.max(leastHeight, (value / top) * box.height) : 0;
    return { x: n * step + gap / 2, y: box.height - height, width: Math.max(0, step - gap), height };
  });
}

/** Where the greatest stands, the latest of several; undefined where there is nothing. */
export function greatestAt(values: readonly number[]): number | undefined {
  const greatest = Math.max(0, ...values);
  return greatest > 0 ? values.lastIndexOf(greatest) : undefined;
}

/** The middle of a label of this width, as near to `x` as the box allows. */
export function keepInside(x: number, labelWidth: number, width: number): number {
  return Math.max(labelWidth / 2, Math.min(width - labelWidth / 2, x));
}

/** Shares of the greatest, from 0 to 1. */
export function sharesOf(values: readonly number[]): number[] {
  const top = Math.max(0, ...values);
  return values.map((value) => (top > 0 ? value / top : 0));
}
