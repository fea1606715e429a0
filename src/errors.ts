// The failures a caller may see. Each message is written for a person and safe to send; what only we should
// know travels in `cause` and goes to the log.

export class LecternError extends Error {
  readonly status: number;
  readonly code: string;
  /** What the API says in place of `message`, which is for the operator alone. */
  readonly publicMessage: string | undefined;

  constructor(status: number, code: string, message: string, options: LecternErrorOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.publicMessage = options.publicMessage;
  }
}

export interface LecternErrorOptions extends ErrorOptions {
  readonly publicMessage?: string;
}

/** What was sent is not what is expected. The message names the field. */
export class Invalid extends LecternError {
  constructor(message: string, options?: ErrorOptions) {
    super(400, 'invalid', message, options);
  }
}

export class Unauthorized extends LecternError {
  constructor(message = 'unauthorized', options?: ErrorOptions) {
    super(401, 'unauthorized', message, options);
  }
}

export class Forbidden extends LecternError {
  constructor(message: string, options?: ErrorOptions) {
    super(403, 'forbidden', message, options);
  }
}

/** Said only to a caller who has shown the right password or token. */
export class AccountDisabled extends Forbidden {
  constructor() {
    super('this account is disabled: ask the owner of this Lectern');
  }
}

/** Also the answer for a row that belongs to another user: its existence is not ours to tell. */
export class NotFound extends LecternError {
  constructor(what: string, options?: ErrorOptions) {
    super(404, 'not_found', `${what} not found`, options);
  }
}

export class Conflict extends LecternError {
  constructor(message: string, options?: ErrorOptions) {
    super(409, 'conflict', message, options);
  }
}

export class TooManyRequests extends LecternError {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(429, 'too_many_requests', message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Another server did not answer as it should. */
export class Upstream extends LecternError {
  /** How long that server wants to be left alone, if it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: LecternErrorOptions & { retryAfterMs?: number } = {}) {
    super(502, 'upstream', message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A job that would fail the same way every time. It is kept as a dead letter, with this sentence. */
export class DoNotRetry extends LecternError {
  constructor(message: string, options?: ErrorOptions) {
    super(422, 'do_not_retry', message, options);
  }
}

/** A job that should be done, but not yet. It is put back as if it had never been taken, for so long. */
export class Later extends Error {
  override readonly name = 'Later';
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`to be done in ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}

/** This process cannot do it now; the same request may succeed in a moment. A job that fails with it counts the attempt. */
export class TemporaryFailure extends LecternError {
  readonly retryAfterSeconds: number;

  constructor(message: string, options: LecternErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(503, 'unavailable', message, options);
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}

/** What every part of Lectern needs: the database, and the storage with the files. */
export const dependencies = ['index', 'library'] as const;
export type Dependency = (typeof dependencies)[number];

/**
 * The index or the library does not answer. Never the fault of the work that needed it: a job returns to the queue without
 * counting the attempt, and no feed or item is marked as failed.
 */
export class Unavailable extends TemporaryFailure {
  readonly dependency: Dependency;

  constructor(dependency: Dependency, message: string, options?: LecternErrorOptions) {
    super(message, options);
    this.dependency = dependency;
  }
}

/** The disk of the index has no room. Nothing of the write was kept. */
export class IndexFull extends LecternError {
  constructor(options?: ErrorOptions) {
    super(
      507,
      'insufficient_storage',
      'the disk of the index is full, so nothing was saved; free some space and try again',
      options,
    );
  }
}

/** The start cannot go on. One line, without a stack: what is wrong and what to do. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
  readonly exitCode: number = 1;
}

/** The library is not ours to write to any more. Going on would take changes that nothing keeps. */
export class LibraryLost extends StartupError {
  override readonly name = 'LibraryLost';
  override readonly exitCode = 78;
}

/** The index file was deleted or replaced under a running server. Its open connections still hold every change. */
export class IndexLost extends StartupError {
  override readonly name = 'IndexLost';
  override readonly exitCode = 79;

  constructor() {
    super(
      'The index file was deleted or replaced while Lectern was running, so Lectern stops. ' +
        'Start it again after "lectern reinflate".',
    );
  }
}

/** Somebody else has taken over the work, since our lease on it ran out. What was half done is theirs to do. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(work: string) {
    super(`the lease on ${work} was lost`);
  }
}
