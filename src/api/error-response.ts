// The one place where a failure becomes an answer. Nothing internal leaves: what we did not expect is "internal
// server error" to the client and a full record in the log.
import type { Context, ErrorHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { Invalid, LecternError, TemporaryFailure, TooManyRequests } from '../errors.ts';
import type { Log } from '../log.ts';
import type { ApiEnv } from './context.ts';

export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Record<string, string>;
}

export function respondWithError(log: Log): ErrorHandler<ApiEnv> {
  return (error, c) => {
    const failure = toFailure(error);
    if (failure.status >= 500) {
      log.error({ err: error, requestId: c.get('requestId'), route: c.get('route') }, 'request failed');
    }
    return errorResponse(c, failure);
  };
}

export function errorResponse(c: Context, failure: Failure): Response {
  return c.json(errorBody(c.req.path, failure), failure.status as ContentfulStatusCode, failure.headers);
}

/** `{"error": "..."}`, under /api/v1 `{"error": {"code", "message"}}`, and under /v1 as Miniflux has it. */
function errorBody(path: string, { code, message }: Failure) {
  if (path.startsWith('/api/v1/')) return { error: { code, message } };
  if (path.startsWith('/v1/')) return { error_message: message };
  return { error: message };
}

function toFailure(error: Error): Failure {
  if (error instanceof TooManyRequests || error instanceof TemporaryFailure) {
    return { ...pick(error), headers: { 'Retry-After': String(error.retryAfterSeconds) } };
  }
  if (error instanceof LecternError) {
    if (error.status === 401) return { ...pick(error), headers: { 'WWW-Authenticate': 'Bearer' } };
    return pick(error);
  }
  if (error instanceof HTTPException && error.status < 500) {
    return { status: error.status, code: 'invalid', message: error.message || 'bad request' };
  }
  return { status: 500, code: 'internal', message: 'internal server error' };
}

function pick({ status, code, message, publicMessage = message }: LecternError): Failure {
  return { status, code, message: publicMessage };
}

/** Names each field that is wrong and what was expected there. */
export function invalidInput(error: z.core.$ZodError): Invalid {
  const problems = error.issues.slice(0, 5).map((issue) => {
    const field = issue.path.length > 0 ? issue.path.join('.') : 'body';
    return `${field}: ${issue.message.replace(/^Invalid input: /, '')}`;
  });
  return new Invalid(problems.join('; '));
}
