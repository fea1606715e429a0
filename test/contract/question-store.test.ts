import { beforeEach, expect, it } from 'vitest';
import type { QuestionStore } from '../../src/store/owned/question-store.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';

onEachEngine('the count of questions', (engine) => {
  let store: Store;
  let anna: QuestionStore;
  let ben: QuestionStore;

  beforeEach(async () => {
    ({ store } = await openEmptyStore(engine));
    const questionsOf = async (username: string, role: 'owner' | 'member') =>
      store.forUser((await store.users.create({ username, passwordHash: null, role })).id).questions;
    [anna, ben] = [await questionsOf('anna', 'owner'), await questionsOf('ben', 'member')];
  });

  const count = async (questions: QuestionStore, day: number, times: number, limit = 2) => {
    const counted: boolean[] = [];
    for (let n = 0; n < times; n++) counted.push(await questions.count({ day, limit }));
    return counted;
  };

  it('ends at the limit, for each user and each day by itself', async () => {
    expect(await count(anna, 20_000, 4)).toEqual([true, true, false, false]);
    expect(await count(ben, 20_000, 3)).toEqual([true, true, false]);
    expect(await count(anna, 20_001, 3)).toEqual([true, true, false]);
  });

  it('goes on when the limit was raised, and stays when it was lowered', async () => {
    expect(await count(anna, 20_000, 3, 2)).toEqual([true, true, false]);
    expect(await count(anna, 20_000, 2, 3)).toEqual([true, false]);
    expect(await count(anna, 20_000, 1, 1)).toEqual([false]);
  });

  it('is exact for questions at once', async () => {
    const at = Array.from({ length: 20 }, () => anna.count({ day: 20_000, limit: 5 }));
    expect((await Promise.all(at)).filter(Boolean)).toHaveLength(5);
  });
});
