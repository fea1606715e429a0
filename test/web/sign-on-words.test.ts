// The web app has a sentence for every reason that the server gives. The compiler sees to it in the other languages.
import { expect, it } from 'vitest';
import { refusals } from '../../src/accounts/oidc-refusal.ts';
import { accounts } from '../../web/src/words/en/accounts.ts';

it('says why a sign-on came to nothing, whatever the reason', () => {
  expect(Object.keys(accounts.signOn.problems).sort()).toEqual([...refusals].sort());
});
