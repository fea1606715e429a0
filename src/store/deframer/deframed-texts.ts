// What the deframer made of articles, as search reads it. It belongs to the operator: to the owner, and to nobody else.
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { idList } from '../id-list.ts';
import type { Text, Texts } from '../reader-texts.ts';

export interface DeframedText extends Text {
  readonly url: string;
  /** JSON: see model/deframer.ts. */
  readonly analysis: string;
  readonly content: string;
  readonly author: string;
  readonly pubDate: number;
}

export type DeframedTexts = Texts<DeframedText>;

/** Without an owner, as before the first setup, there is nobody to find them. */
const live = sql`deframed_items d JOIN deframer_feeds f ON f.id = d.feed_id AND f.deleted_at IS NULL
  JOIN users u ON u.id = (SELECT min(id) FROM users WHERE role = 'owner')`;

export function deframedTexts(db: Database): DeframedTexts {
  return {
    async read(numbers, ofUser) {
      const owned = ofUser === undefined ? sql`` : sql`AND u.id = ${ofUser}`;
      const { rows } = await sql<DeframedText>`
        SELECT d.number AS id, u.id AS "userId", d.url, d.analyzer_result AS analysis, d.content, d.author,
          d.pub_date AS "pubDate"
        FROM ${live} WHERE d.number IN ${idList(db, numbers)} ${owned}`.execute(
        ofUser === undefined ? db.heavyRead : db.read,
      );
      return rows;
    },

    async list(after, limit) {
      const { rows } = await sql<{ id: number }>`
        SELECT d.number AS id FROM ${live} WHERE d.number > ${after} ORDER BY d.number LIMIT ${limit}`.execute(
        db.heavyRead,
      );
      return rows.map(({ id }) => id);
    },
  };
}
