// What is shown of an entry: what its feed published, or the full text of its page where the owner has switched that on.
import { type RawBuilder, sql } from 'kysely';

/** Of a row of entries. Found by primary keys, and hardly ever there. */
export function shownContent(entry: string): RawBuilder<string> {
  return sql<string>`coalesce((SELECT t.content FROM entry_texts t JOIN feeds tf ON tf.id = ${sql.ref(`${entry}.feed_id`)}
    WHERE t.entry_id = ${sql.ref(`${entry}.id`)} AND tf.full_text = 1), ${sql.ref(`${entry}.content`)})`;
}
