/** `limited`: it asks for a pause. `refused`: the token. `unreachable`: no answer. `failing`: an answer that is none. */
export type PostponedReason = 'limited' | 'refused' | 'unreachable' | 'failing';

/** Nothing more can be had of Raindrop for now. What is stored stays; the rest is for the next batch. */
export class Postponed extends Error {
  readonly reason: PostponedReason;
  readonly delayMs: number;

  /** `message` is for people. */
  constructor(reason: PostponedReason, message: string, delayMs: number) {
    super(message);
    this.name = 'Postponed';
    this.reason = reason;
    this.delayMs = delayMs;
  }
}
