import { Unavailable } from '../../../errors.ts';

/** A server that is away, restarting or full is a reason to ask again later, not a fault of ours. */
export function translateLostConnection(error: Error & { code?: string }): Error {
  return isLostConnection(error) ? unavailable(error) : error;
}

export function unavailable(cause: Error): Unavailable {
  return new Unavailable('index', 'the index does not answer; try again in a moment', { cause });
}

/**
 * True if an error says that the connection to PostgreSQL is lost or cannot be had: the server restarts, is full, or ended the
 * session. Asking again later helps; nothing is wrong with the statement.
 */
export function isLostConnection(error: Error & { code?: string }): boolean {
  return error.code === undefined ? lostMessage.test(error.message) : lostCode.test(error.code);
}

/**
 * Codes of Node for a broken network, and of PostgreSQL: connection exceptions (08), too many connections, a session that was
 * ended by an administrator, a crash, a shutdown, or for standing idle.
 */
const lostCode =
  /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EADDRNOTAVAIL|ETIMEDOUT|08|53300|57P0[1-5]|25P0[34])/;

/** Errors that pg makes itself have no code. */
const lostMessage =
  /timeout exceeded when trying to connect|timeout expired|Connection terminated|is not queryable|establishing an SSL connection|Cannot use a pool after calling end/;
