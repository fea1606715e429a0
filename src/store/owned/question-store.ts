// How many questions a user has put to the language model on one day.
import type { Owned } from './owned-rows.ts';

export type QuestionStore = ReturnType<typeof questionStore>;

export function questionStore(owned: Owned) {
  return {
    /**
     * Counts a question on a day (days since 1970), unless `limit` questions, which is at least one, were counted on that day
     * already. Returns whether it was counted. One statement, so that questions at once cannot slip past the limit.
     */
    async count({ day, limit }: { day: number; limit: number }): Promise<boolean> {
      const row = await owned.write((rows) =>
        rows
          .insert('questions_asked', { day, n: 1 })
          .onConflict((conflict) =>
            conflict
              .column('user_id')
              .doUpdateSet((e) => ({
                day,
                n: e
                  .case()
                  .when('questions_asked.day', '=', day)
                  .then(e('questions_asked.n', '+', 1))
                  .else(1)
                  .end(),
              }))
              .where((e) => e.or([e('questions_asked.day', '<>', day), e('questions_asked.n', '<', limit)])),
          )
          .returning('n')
          .executeTakeFirst(),
      );
      return row !== undefined;
    },
  };
}
