import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Just enough X.509 for tests of mutual TLS, so that they need neither a package nor the openssl command. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends Identity {
  /** a certificate for a server on loopback and for a client */
  readonly issue: (commonName: string) => Identity;
}

export function createAuthority(commonName: string): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = distinguishedName(commonName);
  const isAuthority = extension('2.5.29.19', sequence(element(0x01, Buffer.from([0xff]))));
  const own = certificate(name, name, keys.publicKey, keys.privateKey, isAuthority);
  return {
    certificate: own,
    key: pem(keys.privateKey),
    issue(leafName) {
      const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const names = extension(
        '2.5.29.17',
        sequence(element(0x82, Buffer.from('localhost')), element(0x87, Buffer.from([127, 0, 0, 1]))),
      );
      return {
        certificate: certificate(distinguishedName(leafName), name, leaf.publicKey, keys.privateKey, names),
        key: pem(leaf.privateKey),
      };
    },
  };
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function certificate(subject: Buffer, issuer: Buffer, key: KeyObject, signer: KeyObject, extensions: Buffer): string {
  const algorithm = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
  const body = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    issuer,
    sequence(time('20200101000000Z'), time('20991231000000Z')),
    subject,
    key.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(extensions)),
  );
  const signature = sign('sha256', body, { key: signer, dsaEncoding: 'der' });
  const whole = sequence(body, algorithm, element(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function distinguishedName(commonName: string): Buffer {
  return sequence(element(0x31, sequence(objectIdentifier('2.5.4.3'), element(0x0c, Buffer.from(commonName)))));
}

function extension(identifier: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(identifier), element(0x01, Buffer.from([0xff])), element(0x04, value));
}

function time(text: string): Buffer {
  return element(0x18, Buffer.from(text));
}

function integer(value: Buffer): Buffer {
  return element(0x02, value);
}

function sequence(...items: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(items));
}

function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
