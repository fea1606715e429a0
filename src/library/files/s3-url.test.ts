import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { StartupError } from '../../errors.ts';
import { Secret } from '../../model/secret.ts';
import { parseS3Url } from './s3-url.ts';

const parse = (text: string) => parseS3Url(new Secret(text));

describe('the URL of a library on S3', () => {
  it.each([
    ['s3://id:word@books', 'https://books.s3.us-east-1.amazonaws.com', '', 'us-east-1'],
    ['s3://id:word@books/', 'https://books.s3.us-east-1.amazonaws.com', '', 'us-east-1'],
    [
      's3://id:word@books/a/b/?region=eu-central-1',
      'https://books.s3.eu-central-1.amazonaws.com',
      'a/b/',
      'eu-central-1',
    ],
    ['s3://id:word@books/a?path_style=true', 'https://s3.us-east-1.amazonaws.com/books', 'a/', 'us-east-1'],
    ['s3://id:word@books/a?endpoint=http://minio:9000', 'http://minio:9000/books', 'a/', 'us-east-1'],
    ['s3://id:word@books?endpoint=https://x.test&path_style=false', 'https://books.x.test', '', 'us-east-1'],
    [
      's3://id:word@books?endpoint=https://acc.r2.cloudflarestorage.com',
      'https://acc.r2.cloudflarestorage.com/books',
      '',
      'auto',
    ],
  ])('is understood: %s', (url, bucketUrl, prefix, region) => {
    expect(parse(url)).toMatchObject({ bucket: 'books', bucketUrl, prefix, region });
  });

  it('has a secret with any character in it, percent-encoded', () => {
    const { credentials } = parse('s3://AKIA%2B:a%2Fb%2Bc%3D%40%25@books');
    expect(credentials.accessKeyId).toBe('AKIA+');
    expect(credentials.secretAccessKey.reveal()).toBe('a/b+c=@%');
  });

  it('needs no secret when one is given apart', () => {
    const given = { accessKeyId: 'other', secretAccessKey: new Secret('word') };
    expect(parseS3Url(new Secret('s3://books'), given).credentials).toBe(given);
  });

  it.each([
    ['without credentials', 's3://books/prefix'],
    ['with a key id and no secret', 's3://id@books/hush'],
    ['with a broken escape in the secret', 's3://id:hush%zz@books'],
    ['without a bucket', 's3://id:hush@'],
    ['with a bucket of two letters', 's3://id:hush@ab'],
    ['with a port behind the bucket', 's3://id:hush@books:9000/'],
    ['with a prefix of dots', 's3://id:hush@books/.tmp'],
    ['with a space in the prefix', 's3://id:hush@books/a b'],
    ['with a prefix too long', `s3://id:hush@books/${'x/'.repeat(200)}y`],
    ['with a parameter that is none', 's3://id:hush@books?endpiont=http://x'],
    ['with an endpoint that is no address', 's3://id:hush@books?endpoint=minio'],
    ['with an endpoint of another protocol', 's3://id:hush@books?endpoint=ftp://minio'],
    ['with a path in the endpoint', 's3://id:hush@books?endpoint=http://minio/path'],
    ['with a password in the endpoint', 's3://id:word@books?endpoint=http://u:hush@minio'],
    ['with a region that is none', 's3://id:hush@books?region=Eu%20West'],
    ['with a path_style that is neither true nor false', 's3://id:hush@books?path_style=1'],
    ['of another kind', 'https://id:hush@books'],
    ['that is no URL', 's3:// hush'],
  ])('is refused %s, in one line without the secret', (_, url) => {
    const error = (() => {
      try {
        return parse(url);
      } catch (reason) {
        return reason as Error;
      }
    })();
    expect(error).toBeInstanceOf(StartupError);
    expect(inspect(error)).not.toContain('hush');
    expect((error as Error).message).toMatch(/^LECTERN_LIBRARY_URL: [^\n]+$/);
  });

  it('is shown without key id, secret and parameters', () => {
    expect(parse('s3://id:hush@books/a?endpoint=http://minio:9000').shown).toBe(
      's3://books/a at http://minio:9000',
    );
  });
});
