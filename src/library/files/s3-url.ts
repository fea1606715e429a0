// Reads s3://KEY_ID:SECRET@BUCKET/PREFIX?endpoint=URL&region=R&path_style=true
import { StartupError } from '../../errors.ts';
import { Secret } from '../../model/secret.ts';
import { isKey } from './key.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
}

export interface S3Location {
  /** Where the bucket answers, without a slash at the end. */
  readonly bucketUrl: string;
  readonly bucket: string;
  /** "" or "some/prefix/". */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** For messages: bucket and server, no secret. */
  readonly shown: string;
}

const maxPrefixLength = 256;
const shape = 's3://KEY_ID:SECRET@BUCKET/PREFIX?endpoint=URL&region=REGION';

export function parseS3Url(text: Secret, given?: S3Credentials): S3Location {
  const url = URL.canParse(text.reveal()) ? new URL(text.reveal()) : undefined;
  if (url?.protocol !== 's3:') throw bad(`expected ${shape}`);
  const { endpoint, region, pathStyle } = parameters(url);

  const bucket = url.hostname;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket) || url.port !== '') {
    throw bad(`expected ${shape}, where BUCKET is the name of a bucket`);
  }
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  if (path !== '' && (!isKey(path) || path.length > maxPrefixLength)) {
    throw bad('the prefix may have only letters, digits, "-", "_", "." and "/"');
  }
  const bucketUrl = pathStyle
    ? `${endpoint.origin}/${bucket}`
    : `${endpoint.protocol}//${bucket}.${endpoint.host}`;
  return {
    bucketUrl,
    bucket,
    prefix: path === '' ? '' : `${path}/`,
    region,
    credentials: given ?? credentialsOf(url),
    shown: `s3://${bucket}${path === '' ? '' : `/${path}`} at ${endpoint.origin}`,
  };
}

function parameters(url: URL) {
  const known = ['endpoint', 'region', 'path_style'];
  const unknown = [...url.searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw bad(`unknown parameter "${unknown}"; known are ${known.join(', ')}`);

  const text = url.searchParams.get('endpoint');
  const endpoint = text === null ? undefined : httpUrl(text);
  // Cloudflare's R2 signs for the region "auto", and knows no other by name.
  const usual = endpoint?.hostname.endsWith('.r2.cloudflarestorage.com') ? 'auto' : 'us-east-1';
  const region = url.searchParams.get('region') ?? usual;
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw bad('region must be a name such as eu-central-1');

  const style = url.searchParams.get('path_style') ?? String(endpoint !== undefined);
  if (style !== 'true' && style !== 'false') throw bad('path_style must be true or false');
  return {
    endpoint: endpoint ?? new URL(`https://s3.${region}.amazonaws.com`),
    region,
    pathStyle: style === 'true',
  };
}

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bare = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (!bare || url.username !== '' || url.password !== '') {
    throw bad('endpoint must be an address such as https://minio.example.org:9000, without path or password');
  }
  return url;
}

function credentialsOf(url: URL): S3Credentials {
  const [accessKeyId, secret] = [url.username, url.password].map(decoded);
  if (!accessKeyId || !secret) {
    throw bad(`expected ${shape}; in KEY_ID and SECRET write "/" as %2F and "+" as %2B`);
  }
  return { accessKeyId, secretAccessKey: new Secret(secret) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function bad(problem: string): StartupError {
  return new StartupError(`LECTERN_LIBRARY_URL: ${problem}`);
}
