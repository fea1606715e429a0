// How many questions are asked of a model at once: each holds a connection, costs money, and may take minutes.
import { TooManyRequests } from '../../errors.ts';

export interface AskTurns {
  /** Throws TooManyRequests. What it returns gives the turn back, once. */
  take(userId: number): () => void;
}

const retryAfterSeconds = 10;

export function createAskTurns(most = { ofUser: 2, inAll: 4 }): AskTurns {
  const taken = new Map<object, number>();
  return {
    take(userId) {
      const own = [...taken.values()].filter((id) => id === userId).length;
      if (own >= most.ofUser || taken.size >= most.inAll)
        throw new TooManyRequests(
          'too many questions are being answered; try again in a moment',
          retryAfterSeconds,
        );
      const turn = {};
      taken.set(turn, userId);
      return () => void taken.delete(turn);
    },
  };
}
