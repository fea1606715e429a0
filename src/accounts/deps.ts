import type { Clock, RandomText } from '../model/glossary.ts';
import type { AttemptLimits } from '../store/login-attempt-store.ts';
import type { Store } from '../store/store.ts';
import type { Passwords } from './passwords.ts';

/** What every function of accounts/ may be handed. */
export interface AccountDeps {
  readonly store: Store;
  readonly now: Clock;
  readonly randomText: RandomText;
  readonly passwords: Passwords;
  readonly loginLimits: AttemptLimits;
}
