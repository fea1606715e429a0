// Lists in JSON that can be long, written portion by portion for sendParts.
import { letOthersIn } from '../store/let-others-in.ts';

export const jsonType = 'application/json; charset=utf-8';

export async function* jsonList(
  portions: Iterable<readonly unknown[]> | AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  let before = '[';
  for await (const portion of portions) {
    if (portion.length === 0) continue;
    yield before + JSON.stringify(portion).slice(1, -1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Of what is there already, so that nothing else would let others in. */
export async function* someAtOnce<T>(all: readonly T[], atOnce: number): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < all.length; at += atOnce) {
    if (at > 0) await letOthersIn();
    yield all.slice(at, at + atOnce);
  }
}

/** What is made of each. */
export async function* mapEach<T>(
  portions: AsyncIterable<readonly T[]>,
  make: (one: T) => unknown,
): AsyncGenerator<readonly unknown[]> {
  for await (const portion of portions) yield portion.map(make);
}
