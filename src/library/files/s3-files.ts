// The library on S3, or on any server that speaks its protocol: one object for each file.
import { LecternError, StartupError, Unavailable, Upstream } from '../../errors.ts';
import type { Secret } from '../../model/secret.ts';
import { collect, type FileStat, type Files, maxPageSize, type StoredFile } from './files.ts';
import { checkKey, checkPrefix, isKey } from './key.ts';
import { checkLimit, takePage } from './page.ts';
import { checkedBody, withUpload } from './s3-body.ts';
import { parseListing, type S3Listing } from './s3-list-xml.ts';
import { publicMessage, type S3Deps, send, type Transfer, Transient, timeoutOf } from './s3-request.ts';
import { parseS3Url, type S3Credentials, type S3Location } from './s3-url.ts';

export interface S3Target {
  readonly url: Secret;
  /** When they are not in the URL. */
  readonly credentials?: S3Credentials;
}

/** The most keys that S3 lists at once. */
const maxListed = 1000;
/** S3 keeps this with the object, so that any reader can check what arrives. */
const shaHeader = 'x-amz-meta-sha256';

/** Opens the library in the bucket, which must be there and let itself be listed. */
export async function openS3Files({ url, credentials }: S3Target, deps: S3Deps): Promise<Files> {
  const location = parseS3Url(url, credentials);
  try {
    await fetchListing({ deps, location }, { prefix: location.prefix, limit: 1 });
  } catch (error) {
    if (error instanceof LecternError) throw new StartupError(error.message, { cause: error });
    throw error;
  }
  return s3Files({ deps, location });
}

interface Bucket {
  readonly deps: S3Deps;
  readonly location: S3Location;
}

function s3Files(bucket: Bucket): Files {
  const { deps, location } = bucket;
  const objectKey = (key: string) => location.prefix + checkKey(key);

  const files: Files = {
    kind: 's3',

    async put(key, data, { signal } = {}) {
      const target = objectKey(key);
      return withUpload(deps, data, async (upload) => {
        const headers = { [shaHeader]: upload.sha256 };
        const put = { method: 'PUT', objectKey: target, headers, body: upload, signal } as const;
        await send(deps, location, put, async (response) => {
          await response.body?.cancel();
          // A PUT into a bucket that is gone; a key cannot be missing here.
          if (!response.ok) throw refusedWithoutReason(location, response);
        });
        return { sizeBytes: upload.sizeBytes, sha256: upload.sha256 };
      });
    },

    get: (key) =>
      send(deps, location, { method: 'GET', objectKey: objectKey(key) }, (response, transfer) =>
        // The reader has begun when it breaks off, so that there is no further attempt.
        openAnswer(key, response, { transfer, brokenOff: (reason) => brokenOff(location, reason) }),
      ),

    read: (key) =>
      // Read inside the request, so that a transfer that breaks off is tried again.
      send(deps, location, { method: 'GET', objectKey: objectKey(key) }, async (response, transfer) => {
        const file = openAnswer(key, response, { transfer, brokenOff: (reason) => reason });
        return file && collect(file.body);
      }),

    async stat(key) {
      const head = { method: 'HEAD', objectKey: objectKey(key) } as const;
      const found = await send(deps, location, head, (response) =>
        response.ok ? statOf(location, key, response) : undefined,
      );
      // The answer to HEAD has no body to say whether it is the key or the whole bucket that is missing.
      if (!found) await fetchListing(bucket, { prefix: location.prefix, limit: 1 });
      return found;
    },

    delete: (key) =>
      send(deps, location, { method: 'DELETE', objectKey: objectKey(key) }, (response) =>
        response.body?.cancel(),
      ),

    list: async (prefix, { after, limit = maxPageSize } = {}) => {
      checkLimit(limit);
      return takePage(listing(bucket, { prefix, after, limit: limit + 1 }), limit);
    },

    listAll: (prefix, { after } = {}) => listing(bucket, { prefix, after, limit: maxListed }),

    async *folders(prefix) {
      let last = '';
      for await (const { key } of listing(bucket, { prefix, after: undefined, limit: maxListed })) {
        const [name = '', ...rest] = key.slice(prefix.length).split('/');
        if (rest.length > 0 && name !== last) yield name;
        last = name;
      }
    },
  };
  return files;

  function openAnswer(
    key: string,
    response: Response,
    options: { transfer: Transfer; brokenOff: (reason: Transient) => Error },
  ): StoredFile | undefined {
    if (!response.ok) return undefined;
    const stat = statOf(location, key, response);
    return { ...stat, body: checkedBody(response, stat, { timeoutMs: timeoutOf(deps), ...options }) };
  }
}

async function* listing(
  bucket: Bucket,
  { prefix, after, limit }: { prefix: string; after: string | undefined; limit: number },
): AsyncGenerator<FileStat, void, void> {
  const root = bucket.location.prefix;
  checkPrefix(prefix);
  const startAfter = after === undefined ? undefined : root + checkKey(after);
  let last = startAfter ?? '';
  let token: string | undefined;
  do {
    const page: S3Listing = await fetchListing(bucket, { prefix: root + prefix, startAfter, token, limit });
    for (const { key: objectKey, sizeBytes, modifiedAt } of page.objects) {
      const key = objectKey.slice(root.length);
      // What is no key was not put by us, such as "journal/", which consoles make to show a folder.
      if (!isKey(key)) continue;
      // Directory buckets of S3 Express do this; paging by key would leave files out.
      if (objectKey <= last) {
        throw new Upstream(`LECTERN_LIBRARY_URL: ${bucket.location.shown} does not list its keys in order`, {
          publicMessage,
        });
      }
      last = objectKey;
      yield { key, sizeBytes, modifiedAt };
    }
    token = page.nextToken;
  } while (token !== undefined);
}

function fetchListing(
  { deps, location }: Bucket,
  ask: { prefix: string; limit: number; startAfter?: string | undefined; token?: string | undefined },
): Promise<S3Listing> {
  const query = {
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(ask.limit),
    prefix: ask.prefix,
    ...(ask.token !== undefined
      ? { 'continuation-token': ask.token }
      : ask.startAfter !== undefined
        ? { 'start-after': ask.startAfter }
        : {}),
  };
  return send(deps, location, { method: 'GET', query }, async (response) => {
    const text = await response.text();
    try {
      return parseListing(text);
    } catch (error) {
      throw new Transient((error as Error).message, { cause: error });
    }
  });
}

function statOf(location: S3Location, key: string, { headers }: Response): FileStat {
  const length = headers.get('content-length') ?? '';
  const modifiedAt = Date.parse(headers.get('last-modified') ?? '');
  if (!/^\d{1,15}$/.test(length) || Number.isNaN(modifiedAt) || headers.has('content-encoding')) {
    throw new Upstream(
      `LECTERN_LIBRARY_URL: ${location.shown} does not send "${key}" as it is: no length or date, or encoded`,
      { publicMessage },
    );
  }
  const sha256 = headers.get(shaHeader) ?? '';
  const known = /^[0-9a-f]{64}$/.test(sha256) ? { sha256 } : {};
  return { key, sizeBytes: Number(length), modifiedAt, ...known };
}

function refusedWithoutReason(location: S3Location, response: Response): Unavailable {
  return new Unavailable(
    'library',
    `LECTERN_LIBRARY_URL: ${location.shown} answered ${response.status} to a PUT`,
    { publicMessage },
  );
}

function brokenOff(location: S3Location, reason: Transient): Unavailable {
  return new Unavailable(
    'library',
    `LECTERN_LIBRARY_URL: a file from ${location.shown} broke off (${reason.message})`,
    { cause: reason, publicMessage },
  );
}
