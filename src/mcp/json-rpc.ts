// JSON-RPC 2.0, as far as the Model Context Protocol uses it.
export const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  /** The first of those that JSON-RPC leaves to servers. */
  unavailable: -32000,
} as const;

type Id = string | number;

export interface Reply {
  readonly jsonrpc: '2.0';
  readonly id: Id | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Call {
  readonly id: Id;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** `heard`: a notification, or an answer to something that we never ask; neither is answered. */
export type Message =
  | { readonly is: 'call'; readonly call: Call }
  | { readonly is: 'heard' }
  | { readonly is: 'bad'; readonly reply: Reply };

/** A refusal that the caller is told as it is. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export function refusal(id: Id | null, { code, message, data }: RpcError): Reply {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

export function parseMessage(value: unknown): Message {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return bad(null, 'expected a message of JSON-RPC 2.0');
  const { id, method, params = {} } = value;
  if (method === undefined) {
    const isAnswer = isId(id) && ('result' in value || 'error' in value);
    return isAnswer ? { is: 'heard' } : bad(isId(id) ? id : null, 'method: expected the name of a method');
  }
  if (typeof method !== 'string') return bad(isId(id) ? id : null, 'method: expected the name of a method');
  if (id === undefined) return { is: 'heard' };
  if (!isId(id)) return bad(null, 'id: expected a text or a whole number');
  if (!isRecord(params))
    return { is: 'bad', reply: refusal(id, new RpcError(codes.params, 'params: expected an object')) };
  return { is: 'call', call: { id, method, params } };
}

function bad(id: Id | null, message: string): Message {
  return { is: 'bad', reply: refusal(id, new RpcError(codes.request, message)) };
}

function isId(value: unknown): value is Id {
  return (typeof value === 'string' && value.length <= 200) || Number.isSafeInteger(value);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
