// Why a request failed: a closed list for programs, and one sentence each for people.

const sentences = {
  // These two are one sentence on purpose: which names exist on a network that is closed is not for the asker.
  'blocked-address': 'No server was found at this address on the public internet.',
  dns: 'No server was found at this address on the public internet.',
  // Likewise: whether a port is closed, filtered or silent.
  refused: 'The server could not be reached.',
  'timeout-connect': 'The server could not be reached.',
  'timeout-first-byte': 'The server did not answer in time.',
  'timeout-idle': 'The server stopped in the middle of its answer.',
  'timeout-total': 'The answer took too long.',
  tls: 'No secure connection to the server could be made.',
  'too-large': 'The answer is larger than allowed.',
  'too-many-redirects': 'The address leads in circles, or through too many others.',
  'bad-redirect': 'The address leads to one that cannot be followed.',
  'bad-encoding': 'The answer is compressed in a way that cannot be read.',
  'headers-too-large': 'The answer begins with more headers than allowed.',
  reset: 'The connection was lost.',
  truncated: 'The answer ended before it was complete.',
  'http-status': 'The server answered with an error.',
  'media-type': 'The answer is not of the expected kind.',
  protocol: 'The server did not answer as a web server does.',
  'bad-url': 'This is not an address that can be fetched.',
  cancelled: 'The request was cancelled.',
  proxy: 'The proxy could not be used.',
} as const;

export type FailureReason = keyof typeof sentences;

export const failureReasons = Object.keys(sentences) as FailureReason[];

/** Thrown inside this folder, and by a stream that breaks off. Its message is the sentence; its cause is not for people. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, options?: ErrorOptions) {
    super(sentences[reason], options);
    this.reason = reason;
  }
}

export function sentenceOf(reason: FailureReason): string {
  return sentences[reason];
}

/** For a status that is no success. `isChallenge`: a 403 by which Cloudflare asks for a browser with a person. */
export function sentenceOfStatus(status: number, isChallenge = false): string {
  if (isChallenge) return 'The site asks for proof that a person is reading, which a program cannot give.';
  if (status === 401 || status === 407)
    return 'The server asks for a login, or refuses the one it was given.';
  if (status === 403) return 'The server does not allow this address to be fetched.';
  if (status === 404) return 'The server has nothing at this address.';
  if (status >= 500) return `The server has a problem of its own (status ${status}).`;
  return `The server answered with an error (status ${status}).`;
}

/** What undici, zlib, TLS and the sockets throw, as one of ours. */
export function toFailure(error: unknown, otherwise: FailureReason = 'protocol'): Failure {
  if (error instanceof Failure) return error;
  return new Failure(reasonOf(codeOf(error)) ?? otherwise, { cause: error });
}

function reasonOf(code: string): FailureReason | undefined {
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (code.startsWith('HPE_')) return 'protocol';
  if (code === 'Z_BUF_ERROR') return 'truncated';
  if (/^(Z_|ERR__ERROR|ERR_BROTLI|ERR_ZSTD|ZSTD_)/.test(code)) return 'bad-encoding';
  if (/^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/.test(code))
    return 'reset';
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/.test(code)) return 'refused';
  if (code === 'ETIMEDOUT') return 'timeout-connect';
  return undefined;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
