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
  /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|08|53300|57P0[1-5]|25P03)/;

/** Errors that pg makes itself have no code. */
const lostMessage = /timeout exceeded when trying to connect|Connection terminated|is not queryable/;
