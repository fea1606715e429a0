import type { ServerResponse } from 'node:http';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CrashError, Faults } from '../../../test/support/faults.ts';
import { faultyFetch } from '../../../test/support/faulty-files.ts';
import {
  cutOff,
  done,
  emptyList,
  hangUp,
  object,
  refusal,
  type StubS3,
  standStill,
  startStubS3,
  xml,
} from '../../../test/support/stub-s3.ts';
import { Unavailable, Upstream } from '../../errors.ts';
import { Secret } from '../../model/secret.ts';
import type { Files } from './files.ts';
import { openS3Files } from './s3-files.ts';
import type { S3Deps } from './s3-request.ts';

const deps: S3Deps = { now: Date.now, pause: async () => {} };

/** Only the test moves the clock of timeouts, so that a busy machine cannot. */
async function withTimeOfOurOwn(test: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    await test();
  } finally {
    vi.useRealTimers();
  }
}

/** Files on a server that exists only as this fetch(); opening it needs a list. */
function openWith(respond: typeof fetch): Promise<Files> {
  const listing: typeof fetch = async (input, init) =>
    String(input).includes('list-type') ? new Response(emptyList) : respond(input, init);
  const url = new Secret('s3://key-id:secret%2Fword@bucket?endpoint=http://stub.test');
  return openS3Files({ url }, { ...deps, fetch: listing });
}

function answering(
  pieces: number,
  pull: (controller: ReadableStreamDefaultController<Uint8Array>, signal: AbortSignal) => void,
  sizeBytes = pieces,
): typeof fetch {
  return async (_, init) => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ === pieces) controller.close();
        else pull(controller, init?.signal ?? AbortSignal.abort());
      },
    });
    const headers = {
      'content-length': String(sizeBytes),
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    };
    return new Response(body, { headers });
  };
}

describe('the library on an S3 server that fails', () => {
  let stub: StubS3;
  let files: Files;
  let pauses: number[];

  beforeAll(async () => {
    stub = await startStubS3();
  });
  afterAll(() => stub.stop());
  beforeEach(async () => {
    stub.answer(xml(200, emptyList));
    pauses = [];
    const pause = async (millis: number) => void pauses.push(millis);
    files = await openS3Files({ url: stub.libraryUrl }, { ...deps, pause });
    stub.requests.length = 0;
  });
  afterEach(() => {
    for (const request of stub.requests) expect(JSON.stringify(request)).not.toContain('secret/word');
  });

  it('tries again with growing pauses, and sends the whole body each time', async () => {
    stub.answer(refusal(503, 'SlowDown'), refusal(500, 'InternalError'), hangUp, done);
    await files.put('a', 'the body');
    expect(stub.requests.map(({ method, body }) => `${method} ${body}`)).toEqual(
      Array(4).fill('PUT the body'),
    );
    expect(pauses).toEqual([200, 400, 800]);
  });

  it.each([
    ['S3', 400, 'RequestTimeout'],
    ['S3 during another change of the same object', 409, 'OperationAborted'],
    ['S3 and R2', 500, 'InternalError'],
    ['MinIO under load', 503, 'SlowDownWrite'],
    ['MinIO during its start', 503, 'XMinioServerNotInitialized'],
    ['R2 during frequent changes of one object', 429, 'ServiceUnavailable'],
  ])('tries again after the answer of %s: %i %s', async (_server, status, code) => {
    stub.answer(refusal(status, code), done);
    await files.put('a', 'x');
    expect(stub.requests).toHaveLength(2);
  });

  it.each([
    ['204', (response: ServerResponse) => response.writeHead(204).end()],
    ['200', done],
    ['404 NoSuchKey, as Google does', refusal(404, 'NoSuchKey')],
  ])('a delete has succeeded when the server answers %s', async (_status, answer) => {
    stub.answer(answer);
    await files.delete('a');
    expect(stub.requests).toHaveLength(1);
  });

  it('a file is missing when the answer to HEAD names the length of an error that it does not send, as versitygw does', async () => {
    const missing = (response: ServerResponse) =>
      response.writeHead(404, { 'content-length': '272', connection: 'close' }).end();
    stub.answer(missing, xml(200, emptyList));
    expect(await files.stat('a')).toBeUndefined();
    expect(stub.requests.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
  });

  it('a put has succeeded when the answer has a body, checksums and an ETag that is no hash', async () => {
    stub.answer(
      xml(200, '<PutObjectResult/>', { etag: '"not-a-hash-2"', 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' }),
    );
    expect(await files.put('a', 'x')).toMatchObject({ sizeBytes: 1 });
  });

  it.each([
    ['is overloaded', refusal(503, 'SlowDown'), '503 SlowDown'],
    ['says too many requests', refusal(429, 'TooManyRequests'), '429 TooManyRequests'],
    ['hangs up', hangUp, ''],
  ])('gives up after five attempts when the server %s', async (_, answer, words) => {
    stub.answer(answer);
    const error = await files.put('a', 'x').catch((reason) => reason);
    expect(error).toBeInstanceOf(Unavailable);
    expect(error.message).toMatch(
      /^LECTERN_LIBRARY_URL: s3:\/\/bucket\/prefix at \S+ did not answer .* in 5 attempts/,
    );
    expect(error.message).toContain(words);
    expect(stub.requests).toHaveLength(5);
    expect(pauses).toHaveLength(4);
    expect(inspect(error, { depth: 9 })).not.toMatch(/secret\/word|secret%2Fword/);
  });

  it('begins no attempt after the time limit of the first one when the server never answers', async () => {
    await withTimeOfOurOwn(async () => {
      stub.answer(hangUp, () => vi.advanceTimersByTime(31_000));
      await expect(files.put('a', 'x')).rejects.toThrow('in 2 attempts (no answer in 30 s)');
      expect(stub.requests).toHaveLength(2);
    });
  });

  it('gives an upload time for its size', async () => {
    await withTimeOfOurOwn(async () => {
      // 30 s, and 16 s for a megabyte at 64 KB/s.
      stub.answer(() => vi.advanceTimersByTime(47_000));
      await expect(files.put('a', Buffer.alloc(1 << 20))).rejects.toThrow('(no answer in 46 s)');
      stub.answer((response, request, body) => {
        vi.advanceTimersByTime(46_000);
        done(response, request, body);
      });
      await files.put('a', Buffer.alloc(1 << 20));
    });
  });

  it('ends an upload when it is aborted, with the reason, and does not try again', async () => {
    const aborting = new AbortController();
    stub.answer(() => aborting.abort(new Error('no longer wanted')));
    await expect(files.put('a', 'x', { signal: aborting.signal })).rejects.toThrow('no longer wanted');
    expect(stub.requests).toHaveLength(1);
  });

  it('does not try again after an abort in a pause between two attempts', async () => {
    const aborting = new AbortController();
    const pause = async () => aborting.abort(new Error('no longer wanted'));
    const abortable = await openS3Files({ url: stub.libraryUrl }, { ...deps, pause });
    stub.requests.length = 0;
    stub.answer(refusal(503, 'SlowDown'));
    await expect(abortable.put('a', 'x', { signal: aborting.signal })).rejects.toThrow('no longer wanted');
    expect(stub.requests).toHaveLength(1);
  });

  it.each([
    [400, 'InvalidArgument', 'answered 400 InvalidArgument'],
    [403, 'AccessDenied', 'refuses the key id and secret, or what they may do (403 AccessDenied)'],
    [412, 'PreconditionFailed', 'answered 412 PreconditionFailed'],
    [403, 'RequestTimeTooSkewed', 'the clock of this machine is wrong'],
    [404, 'NoSuchBucket', 'there is no bucket "bucket"'],
  ])('does not try again when the server refuses with %i %s', async (status, code, words) => {
    stub.answer(refusal(status, code));
    for (const attempt of [
      () => files.put('a', 'x'),
      () => files.get('a'),
      () => files.read('a'),
      () => files.delete('a'),
      () => files.list(''),
    ]) {
      stub.requests.length = 0;
      const error = await attempt().catch((reason) => reason);
      expect(error).toBeInstanceOf(Unavailable);
      expect(error.message).toContain(words);
      expect(error.message).not.toContain('secret details');
      expect(stub.requests).toHaveLength(1);
    }
  });

  it('names the region to set when the bucket is in another', async () => {
    stub.answer(refusal(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-central-1', location: '/' }));
    await expect(files.read('a')).rejects.toThrow('(301 PermanentRedirect); set region=eu-central-1');
    expect(stub.requests).toHaveLength(1);
  });

  it('does not take a missing bucket for a missing file, though HEAD cannot tell them apart', async () => {
    stub.answer((response) => response.writeHead(404).end(), refusal(404, 'NoSuchBucket'));
    await expect(files.stat('a')).rejects.toThrow('there is no bucket "bucket"');
    stub.answer((response) => response.writeHead(404).end(), xml(200, emptyList));
    expect(await files.stat('a')).toBeUndefined();
  });

  it.each([
    ['does not answer', refusal(503, 'SlowDown')],
    ['refuses', refusal(403, 'AccessDenied')],
  ])('that %s is named to the operator alone', async (_what, answer) => {
    stub.answer(...Array.from({ length: 5 }, () => answer));
    const error = await files.get('a').catch((thrown) => thrown);
    expect(error.message).toContain('s3://bucket');
    expect(error.publicMessage).toBe('The library cannot be reached at the moment.');
  });

  it('does not take a PUT that answers 404 for done', async () => {
    stub.answer((response) => response.writeHead(404).end());
    await expect(files.put('a', 'x')).rejects.toThrow(Unavailable);
  });

  describe('in the middle of a file', () => {
    it('fails a stream that ends too early', async () => {
      stub.answer(cutOff('only a part', 1000));
      const file = await files.get('a');
      expect(file?.sizeBytes).toBe(1000);
      await expect(Array.fromAsync(file?.body ?? [])).rejects.toThrow(Unavailable);
    });

    it('fails a stream that stands still', async () => {
      await withTimeOfOurOwn(async () => {
        stub.answer(standStill('only a part', 1000));
        const reader = (await files.get('a'))?.body.getReader();
        await reader?.read();
        const next = expect(reader?.read());
        // The stream asks for its next piece, and starts the clock, once the last one is dealt with.
        await turnOfTheLoop();
        vi.advanceTimersByTime(31_000);
        await next.rejects.toThrow('broke off (the transfer stood still)');
      });
    });

    it('lets a slow reader take its time', async () => {
      await withTimeOfOurOwn(async () => {
        stub.answer(object('x'.repeat(4 << 20)));
        const file = await files.get('a');
        let sizeBytes = 0;
        for await (const chunk of file?.body ?? []) {
          sizeBytes += chunk.byteLength;
          // The time limit is the server's, not the reader's.
          vi.advanceTimersByTime(3_600_000);
        }
        expect(sizeBytes).toBe(4 << 20);
      });
    });

    /** A megabyte in ten pieces, with this time before each. */
    const slowMegabyte = (pauseMs: number) =>
      answering(
        10,
        (controller, signal) => {
          vi.advanceTimersByTime(pauseMs);
          if (signal.aborted) controller.error(signal.reason);
          else controller.enqueue(Buffer.alloc(100_000));
        },
        1_000_000,
      );

    it('lets a large file take longer than the limit for one piece', async () => {
      await withTimeOfOurOwn(async () => {
        expect(await (await openWith(slowMegabyte(4_000))).read('a')).toHaveLength(1_000_000);
      });
    });

    it('lets a file that always moves take as long as it needs: other transfers may share the way', async () => {
      await withTimeOfOurOwn(async () => {
        const slow = await openWith(slowMegabyte(29_000));
        expect(await slow.read('a')).toHaveLength(1_000_000);
        const file = await slow.get('a');
        expect(Buffer.concat(await Array.fromAsync(file?.body ?? []))).toHaveLength(1_000_000);
      });
    });

    it('reads a file again that broke off after a long transfer', async () => {
      await withTimeOfOurOwn(async () => {
        let pieces = 0;
        const breaking = answering(10, (controller) => {
          vi.advanceTimersByTime(20_000);
          pieces += 1;
          if (pieces === 2) controller.error(new TypeError('terminated'));
          else controller.enqueue(Buffer.from('x'));
        });
        expect(await (await openWith(breaking)).read('a')).toHaveLength(10);
        expect(pieces).toBe(12);
      });
    });

    it('counts the bytes itself, should the connection end well and too early', async () => {
      let pieces = 0;
      const short = answering(10, (controller) => {
        if (pieces++ % 4 === 3) controller.close();
        else controller.enqueue(Buffer.from('x'));
      });
      const ending = await openWith(short);
      await expect(ending.read('a')).rejects.toThrow('(3 of 10 bytes arrived)');
      const file = await ending.get('a');
      await expect(Array.fromAsync(file?.body ?? [])).rejects.toThrow('broke off (3 of 10 bytes arrived)');
    });

    it('reads again from the beginning when all of it was asked for', async () => {
      stub.answer(cutOff('only a part', 1000), hangUp, object('the whole'));
      expect(Buffer.from((await files.read('a')) ?? []).toString()).toBe('the whole');
      expect(stub.requests).toHaveLength(3);
    });

    it('fails when the bytes are not those that were stored', async () => {
      stub.answer(object('altered', { 'x-amz-meta-sha256': 'a'.repeat(64) }));
      await expect(files.read('a')).rejects.toThrow(
        '"a" of the library is not what was stored: its SHA-256 differs',
      );
      expect(stub.requests).toHaveLength(1);
      const file = await files.get('a');
      await expect(Array.fromAsync(file?.body ?? [])).rejects.toThrow(Upstream);
    });

    it('takes a file that another program put there without a hash', async () => {
      stub.answer(object('theirs'));
      expect(Buffer.from((await files.read('a')) ?? []).toString()).toBe('theirs');
    });

    it.each([
      ['without saying its length', { 'transfer-encoding': 'chunked' }],
      ['compressed', { 'content-length': '1', 'content-encoding': 'gzip' }],
    ])('refuses a file that is sent %s', async (_, headers) => {
      stub.answer((response) => {
        response.writeHead(200, { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT', ...headers }).end('x');
      });
      await expect(files.get('a')).rejects.toThrow('does not send "a" as it is');
    });

    it('asks for the file as it is, and does not sign that wish, which proxies rewrite', async () => {
      stub.answer(object('x'));
      await files.read('a');
      const { headers } = stub.requests[0] ?? {};
      expect(headers?.['accept-encoding']).toBe('identity');
      expect(headers?.authorization).toMatch(/SignedHeaders=host;x-amz-content-sha256;x-amz-date,/);
    });
  });

  describe('in a listing', () => {
    const entry = (key: string) =>
      `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2026-01-01T00:00:00.123Z</LastModified></Contents>`;
    const list = (keys: string[], next = '<IsTruncated>false</IsTruncated>') =>
      xml(
        200,
        `<ListBucketResult>${next}${keys.map((key) => entry(`prefix/${key}`)).join('')}</ListBucketResult>`,
      );
    const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>a+/=b</NextContinuationToken>';

    it('goes on with the token, and leaves out what is no key', async () => {
      stub.answer(list(['a', 'journal/', 'with space'], more), list(['.hidden', 'b', '']));
      const keys = (await Array.fromAsync(files.listAll(''))).map(({ key, modifiedAt }) => [key, modifiedAt]);
      const second = Date.UTC(2026, 0, 1);
      expect(keys).toEqual([
        ['a', second],
        ['b', second],
      ]);
      expect(new URL(stub.requests[1]?.url ?? '', 'http://x').searchParams.get('continuation-token')).toBe(
        'a+/=b',
      );
    });

    it('needs one request for a full page', async () => {
      stub.answer(list(Array.from({ length: 1000 }, (_, i) => String(i).padStart(4, '0'))));
      const page = await files.list('');
      expect(page.files).toHaveLength(999);
      expect(page.next).toBe('0998');
      expect(stub.requests).toHaveLength(1);
    });

    it('fails when the keys are out of order, since paging would lose some', async () => {
      stub.answer(list(['b', 'a']));
      await expect(files.list('')).rejects.toThrow('does not list its keys in order');
      stub.answer(list(['a']));
      await expect(files.list('', { after: 'a' })).rejects.toThrow('does not list its keys in order');
    });

    it.each([
      ['cut off', xml(200, `<ListBucketResult><IsTruncated>false</IsTruncated>${entry('prefix/a')}`)],
      ['another document', xml(200, '<html><body>Welcome to the hotel</body></html>')],
      ['empty', xml(200, '')],
      ['whole and says there is more but not how to go on', list(['a'], '<IsTruncated>true</IsTruncated>')],
    ])('fails when the answer is %s', async (_, answer) => {
      stub.answer(answer);
      await expect(files.list('')).rejects.toThrow(Unavailable);
      expect(stub.requests).toHaveLength(5);
    });
  });

  it('does not try again after a crash', async () => {
    const faults = new Faults();
    const crashing = await openS3Files({ url: stub.libraryUrl }, { ...deps, fetch: faultyFetch(faults) });
    faults.failNext('PUT', 'crash');
    await expect(crashing.put('a', 'x')).rejects.toThrow(CrashError);
    expect(faults.fired).toBe('PUT');
    await expect(crashing.read('a')).rejects.toThrow(CrashError);
  });
});
