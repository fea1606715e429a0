// What a format's reader finds: addresses are absolute and titles are text, but HTML is still as it came.

export interface RawFeed {
  readonly title: string;
  readonly siteUrl: string | null;
  readonly selfUrl: string | null;
  readonly description: string;
  readonly language: string | null;
  readonly ttlMinutes: number | null;
  readonly entries: readonly RawEntry[];
}

export interface RawEntry {
  readonly guid: string;
  readonly title: string;
  readonly link: string | null;
  readonly author: string;
  readonly content: Markup;
  readonly categories: readonly string[];
  readonly enclosures: readonly Enclosure[];
  readonly publishedAt: number | null;
  readonly updatedAt: number | null;
}

/** HTML that is not clean yet, and what its links are relative to. */
export interface Markup {
  readonly html: string;
  readonly baseUrl: string | null;
}

export interface Enclosure {
  readonly url: string;
  /** '' if nobody says. */
  readonly type: string;
  readonly lengthBytes: number | null;
  readonly title?: string;
}
