// What the steps of an import hand on to each other.
import type { Clock, Millis } from '../../model/glossary.ts';
import type { Import, ImportStore } from '../../store/legacy/import-store.ts';
import type { OldId } from '../../store/legacy/old-rows.ts';
import { highestKeptId } from '../../store/legacy/reserve-ids.ts';
import type { Source } from '../../store/legacy/source.ts';
import type { PullSettings } from '../pull-policy.ts';
import type { PlannedFeed } from './plan-feeds.ts';
import type { ImportReport } from './report.ts';

export interface ImportDeps {
  readonly imports: ImportStore;
  readonly now: Clock;
  readonly pull: PullSettings;
  readonly onProgress: (done: number, total: number) => Promise<void> | void;
}

export interface Run {
  readonly deps: ImportDeps;
  readonly source: Source;
  readonly into: Import;
  readonly report: ImportReport;
  readonly now: Millis;
  readonly dryRun: boolean;
}

/** A feed of the old database, and the row that its items go to. */
export interface Home extends PlannedFeed {
  readonly rowId: number;
  readonly isNew: boolean;
  readonly watermark: OldId | undefined;
}

export type HomeOf = (feedId: OldId | undefined) => Home | undefined;

/** A star on an item of a legacy database. */
export interface Star {
  readonly home: Home;
  readonly itemId: OldId;
  readonly guid: string;
  /** Other guids by which a pull may have brought the item. */
  readonly aliases: readonly string[];
  readonly link: string;
}

/** Undefined for one that is no id here. */
export function keptId(id: OldId): number | undefined {
  return id >= 1n && id <= BigInt(highestKeptId) ? Number(id) : undefined;
}
