// The S3 store in which Raindrop keeps permanent copies: a host of its own, entered by addresses that are signed for a minute.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RaindropAccount } from './raindrop-account.ts';
import type { Answer } from './raindrop-api.ts';

const validMs = 60_000;

export function createRaindropStore(now: () => number, account: RaindropAccount) {
  const signed = new Map<string, { path: string; id: number; expiresAt: number }>();

  return {
    /** Another one each time. */
    sign(id: number): string {
      const path = `/copies/${id}`;
      const signature = createHash('sha256').update(`${path} ${signed.size}`).digest('hex');
      signed.set(signature, { path, id, expiresAt: now() + validMs });
      const query = new URLSearchParams({
        'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
        'X-Amz-Date': new Date(now()).toISOString().replace(/[-:]|\.\d+/g, ''),
        'X-Amz-Expires': String(validMs / 1000),
        'X-Amz-SignedHeaders': 'host',
        'X-Amz-Signature': signature,
      });
      return `${path}?${query}`;
    },

    answer(asked: {
      method: string;
      path: string;
      query: Readonly<Record<string, string>>;
      headers: IncomingHttpHeaders;
    }): Answer {
      if (asked.headers.authorization !== undefined) return refusal(400, 'InvalidArgument');
      const pass = signed.get(asked.query['X-Amz-Signature'] ?? '');
      // An address is signed for one method, so HEAD is refused as well.
      if (asked.method !== 'GET' || pass?.path !== asked.path) return refusal(403, 'SignatureDoesNotMatch');
      if (now() > pass.expiresAt) return refusal(403, 'AccessDenied');
      const copy = account.copyOf(pass.id);
      if (!copy) return refusal(404, 'NoSuchKey');
      return {
        status: 200,
        headers: { 'content-type': copy.type, 'content-encoding': 'gzip' },
        body: copy.gzip,
      };
    },
  };
}

function refusal(status: number, code: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`),
  };
}
