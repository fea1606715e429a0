// What clients were told is done, and whether it still is.

/** Undefined: the thing is not there. */
export type Value = string | undefined;

/** Runs a query on an index of either engine. */
export type ReadRows = (query: string) => Promise<readonly Record<string, unknown>[]>;

export interface LedgerCheck {
  readonly checked: number;
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
}

/** How to read each kind of fact: one row for each thing that is there, with its key and its value. */
const queries = {
  group: `SELECT name AS key, 'there' AS value FROM groups`,
  feed: `SELECT link AS key, 'there' AS value FROM feeds`,
  mark: `SELECT CAST(e.id AS text) AS key, CASE WHEN u.entry_id IS NULL THEN 'read' ELSE 'unread' END AS value
    FROM entries e LEFT JOIN unread_entries u ON u.entry_id = e.id`,
  star: `SELECT CAST(entry_id AS text) AS key, 'there' AS value FROM bookmarks
    WHERE entry_id IS NOT NULL AND deleted_at IS NULL`,
  item: `SELECT url AS key, status AS value FROM items WHERE deleted_at IS NULL`,
  tag: `SELECT i.url || ' ' || t.name AS key, 'there' AS value FROM item_tags t JOIN items i ON i.id = t.item_id
    WHERE i.deleted_at IS NULL`,
  preference: 'SELECT name AS key, value FROM preferences',
  highlight: `SELECT source || ' ' || text AS key, 'there' AS value FROM annotations WHERE deleted_at IS NULL`,
  deframer: `SELECT url AS key, CASE WHEN enabled = 1 AND polling = 1 THEN 'polled' ELSE 'off' END AS value
    FROM deframer_feeds WHERE deleted_at IS NULL`,
} as const;

export type FactKind = keyof typeof queries;

export const factKinds = Object.keys(queries) as FactKind[];

export class Ledger {
  /** The values that each thing may have: more than one while a change of it was not answered. */
  readonly #facts = new Map(factKinds.map((kind) => [kind, new Map<string, Set<Value>>()]));

  /** Call before a change is sent: from then on it may have happened. */
  sent(kind: FactKind, key: string, value: Value): void {
    const facts = this.#of(kind);
    const allowed = facts.get(key);
    if (allowed) allowed.add(value);
    else facts.set(key, new Set([undefined, value]));
  }

  acknowledged(kind: FactKind, key: string, value: Value): void {
    this.#of(kind).set(key, new Set([value]));
  }

  /** Compares all facts with an index. A difference is reported once: afterwards the ledger takes it as given. */
  async check(read: ReadRows): Promise<LedgerCheck> {
    let checked = 0;
    const lost: string[] = [];
    const duplicated: string[] = [];
    for (const kind of factKinds) {
      const rows = Map.groupBy(await read(queries[kind]), ({ key }) => String(key));
      for (const [key, allowed] of this.#of(kind)) {
        checked += 1;
        const found = rows.get(key) ?? [];
        const value = found[0] && String(found[0].value);
        if (found.length > 1) duplicated.push(`${kind} ${key}: ${found.length} times`);
        if (allowed.has(value)) continue;
        lost.push(`${kind} ${key}: expected ${[...allowed].map(shown).join(' or ')}, found ${shown(value)}`);
        this.#of(kind).set(key, new Set([value]));
      }
    }
    return { checked, lost, duplicated };
  }

  #of(kind: FactKind): Map<string, Set<Value>> {
    return this.#facts.get(kind) as Map<string, Set<Value>>;
  }
}

function shown(value: Value): string {
  return value ?? 'nothing';
}
