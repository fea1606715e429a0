// A certificate that signs itself, written byte by byte (X.690, RFC 5280), since Node makes keys but no certificates.
import { generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
const commonName = Buffer.from('0603550403', 'hex');
const subjectAltName = Buffer.from('0603551d11', 'hex');
const basicConstraints = Buffer.from('0603551d13', 'hex');

/** Valid for these names, from 2020 to 2049. */
export function selfSignedCertificate(...names: string[]): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const who = sequence(tagged(0x31, sequence(commonName, tagged(0x0c, Buffer.from(names[0] ?? 'test')))));
  const altNames = sequence(...names.map((name) => tagged(0x82, Buffer.from(name))));
  const extensions = sequence(
    sequence(basicConstraints, tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff]))))),
    sequence(subjectAltName, tagged(0x04, altNames)),
  );
  const toBeSigned = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    who,
    sequence(tagged(0x17, Buffer.from('200101000000Z')), tagged(0x17, Buffer.from('490101000000Z'))),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const der = sequence(
    toBeSigned,
    ecdsaWithSha256,
    tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}
