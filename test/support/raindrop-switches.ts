// What nobody has verified about Raindrop's API, or what its documents and its behaviour tell differently. Whoever relies on
// one of these is to be tried in each of its positions.

/** Of every switch, its positions; the first is the one that it has unless a test says otherwise. */
export const switchPositions = {
  /** Of the answer that leads to a permanent copy: measured is 303, documented 307. */
  redirectStatus: [303, 307],
  /** `sort=lastUpdate` and `-lastUpdate` are not documented. Ignored, they give the order that is given without a sort. */
  sortByUpdate: ['honoured', 'ignored'],
  /** What `lastUpdate:>DATE` finds: the days after it, those from it on, or everything. Only days are told apart. */
  lastUpdateSearch: ['after', 'from', 'ignored'],
  /** What advances `meta.changedBookmarksDate` of the statistics. */
  changedDate: ['any-edit', 'not-tags'],
  /** Whether `lastUpdate` advances when a raindrop goes into the trash and when it comes out of it. */
  trashTouches: [true, false],
  /** The same, when tags are changed of many at once, as by renaming a tag. */
  retagTouches: [true, false],
  /** The same, when a highlight is added, changed or deleted. */
  highlightTouches: [true, false],
  /** The same, when Raindrop has made the permanent copy, or has given up. */
  copyTouches: [false, true],
  /** How answers of the API are encoded, if the request accepts it. Brotli was recorded. */
  bodies: ['br', 'gzip', 'plain'],
  /** On the free plan there are no permanent copies, and no raindrop speaks of any. */
  pro: [true, false],
  /** Whether those with the same sort key come in another order each time. */
  shuffleTies: [false, true],
} as const;

export type RaindropSwitches = {
  -readonly [Name in keyof typeof switchPositions]: (typeof switchPositions)[Name][number];
} & {
  token: string;
  /** Requests in a minute. */
  rateLimit: number;
};

export function switchesWith(chosen: Partial<RaindropSwitches>): RaindropSwitches {
  const first = Object.entries(switchPositions).map(([name, positions]) => [name, positions[0]]);
  return { ...Object.fromEntries(first), token: 'test-token', rateLimit: 120, ...chosen };
}
