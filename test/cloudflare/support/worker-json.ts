// JSON that takes bytes along, between the harness and the Worker.

export const withBytes = {
  write: (value: unknown): string =>
    JSON.stringify(value, (_, one) => (one instanceof Uint8Array ? { base64: one.toBase64() } : one)),
  read: (text: string): unknown =>
    JSON.parse(text, (_, one) => (typeof one?.base64 === 'string' ? Uint8Array.fromBase64(one.base64) : one)),
};
