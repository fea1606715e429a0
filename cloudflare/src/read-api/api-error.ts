// The one shape that a failure has on its way out: `{"error": "..."}`.
import type { Context } from 'hono';

export class ApiError extends Error {
  readonly status: 400 | 401 | 403 | 404 | 413 | 415 | 503;

  constructor(status: ApiError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

export function sendError(c: Context, error: Error): Response {
  if (error instanceof ApiError) {
    // RFC 9110 asks for it. Bearer, unlike Basic, makes no browser ask for a password in a window of its own.
    if (error.status === 401) c.header('WWW-Authenticate', 'Bearer');
    return c.json({ error: error.message }, error.status);
  }
  // biome-ignore lint/suspicious/noConsole: the log of a Worker is its console; the caller is told nothing of the cause.
  console.error(error);
  return c.json({ error: 'something went wrong here; the log of the Worker says what' }, 500);
}
