// Why a sign-on came to nothing. The reasons stand in addresses, where the web app finds them and says a sentence for each.

export const refusals = [
  /** The person, or the provider, said no. */
  'denied',
  /** Not the browser that set out, too long ago, or a second time. */
  'expired',
  /** What the provider answered does not hold. */
  'failed',
  'unreachable',
  /** The provider knows them, and we may not let them in. */
  'not-allowed',
  /** There is an account of that name, which a name alone does not open. */
  'account-exists',
  /** There is no owner yet, and who that is to be cannot be told from this. */
  'setup-first',
  /** To be linked, but somebody else's already. */
  'taken',
  /** The owner has disabled the account. */
  'disabled',
  'busy',
] as const;

export type Refusal = (typeof refusals)[number];

/** The message is for the log of the operator; the person is told the reason alone. */
export class SignOnRefused extends Error {
  override readonly name = 'SignOnRefused';
  readonly reason: Refusal;

  constructor(reason: Refusal, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
