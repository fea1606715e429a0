// The five markers, and which of them stands for a colour that another program uses.
export const marks = ['yellow', 'green', 'blue', 'pink', 'purple'] as const;
export type Mark = (typeof marks)[number];

const kin: Record<string, Mark> = {
  orange: 'yellow',
  gray: 'yellow',
  grey: 'yellow',
  red: 'pink',
  rose: 'pink',
  magenta: 'pink',
  violet: 'purple',
  olive: 'green',
  teal: 'green',
  cyan: 'blue',
};

/** What has no colour, or an unknown one, is yellow, as markers are. */
export function markOf(color: string | null): Mark {
  const name = (color ?? '').trim().toLowerCase();
  const known = marks.find((mark) => mark === name) ?? kin[name];
  return known ?? markOfHex(name) ?? 'yellow';
}

/** From here on, by the degrees of the colour wheel. */
const hues: readonly (readonly [number, Mark])[] = [
  [20, 'pink'],
  [70, 'yellow'],
  [170, 'green'],
  [255, 'blue'],
  [295, 'purple'],
  [360, 'pink'],
];

function markOfHex(text: string): Mark | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})(?:[0-9a-f]{2})?$/.exec(text)?.[1];
  if (!digits) return undefined;
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const [red = 0, green = 0, blue = 0] = (full.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const most = Math.max(red, green, blue);
  const spread = most - Math.min(red, green, blue);
  if (spread < 16) return undefined;
  const sector =
    most === red
      ? ((green - blue) / spread + 6) % 6
      : most === green
        ? (blue - red) / spread + 2
        : (red - green) / spread + 4;
  return hues.find(([until]) => sector * 60 < until)?.[1] ?? 'pink';
}

const key = 'lectern.marker';

/** The one that was used last in this browser. */
export function lastMark(): Mark {
  try {
    return markOf(localStorage.getItem(key));
  } catch {
    return 'yellow';
  }
}

export function keepMark(mark: Mark): void {
  try {
    localStorage.setItem(key, mark);
  } catch {
    // Then the next one is yellow.
  }
}
