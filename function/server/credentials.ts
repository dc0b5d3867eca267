import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';

const FILES = ['tls.crt', 'tls.key', 'ca.crt'] as const;
type CertificateFiles = Readonly<Record<(typeof FILES)[number], Buffer>>;

/** How often the files are looked at. The kubelet brings a changed Secret within a minute or two. */
const INTERVAL = 1000;

export interface WatchedCredentials {
  readonly credentials: ServerCredentials;
  readonly stop: () => void;
}

export interface CertificateNews {
  readonly reloaded: () => void;
  /** once for each new state of the files that cannot be used; the certificates in use stay */
  readonly refused: (cause: string) => void;
}

/** Mutual TLS that follows the files of a directory. Throws a sentence when it cannot start from them. */
export function watchCredentials(directory: string, news: CertificateNews): WatchedCredentials {
  let seen = readFiles(directory);
  let lastCause = '';
  const credentials = new ReplaceableCredentials(secureContext(seen));
  const look = () => {
    try {
      const files = readFiles(directory);
      if (FILES.every((file) => files[file].equals(seen[file]))) return;
      seen = files;
      credentials.replace(secureContext(files));
      lastCause = '';
      news.reloaded();
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      if (cause !== lastCause) news.refused(cause);
      lastCause = cause;
    }
  };
  const timer = setInterval(look, INTERVAL).unref();
  return { credentials, stop: () => clearInterval(timer) };
}

/**
 * The reloading credentials of grpc-js refuse every connection while a file is missing or half-written, and start without
 * any; these always have a complete set. grpc-js marks the methods that they build on as experimental, so its version is pinned.
 */
class ReplaceableCredentials extends ServerCredentials {
  constructor(context: SecureContextOptions) {
    super({ requestCert: true, rejectUnauthorized: true }, context);
  }

  replace(context: SecureContextOptions): void {
    this.updateSecureContextOptions(context);
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

function readFiles(directory: string): CertificateFiles {
  const read = (file: string): Buffer => {
    try {
      return readFileSync(join(directory, file));
    } catch (error) {
      throw new Error(`cannot read ${file}: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
    }
  };
  return { 'tls.crt': read('tls.crt'), 'tls.key': read('tls.key'), 'ca.crt': read('ca.crt') };
}

/** Throws unless the three files are whole and belong together: a swap of links can be seen half way. */
function secureContext(files: CertificateFiles): SecureContextOptions {
  const [leaf] = certificates('tls.crt', files['tls.crt']);
  certificates('ca.crt', files['ca.crt']);
  const context = {
    cert: files['tls.crt'],
    key: files['tls.key'],
    ca: files['ca.crt'],
    minVersion: 'TLSv1.2',
  } as const;
  const matches = check('tls.key', 'is no private key', () =>
    leaf?.checkPrivateKey(createPrivateKey(files['tls.key'])),
  );
  if (matches !== true) throw new Error('tls.key does not belong to tls.crt');
  check('tls.crt', 'cannot be used', () => createSecureContext(context));
  return context;
}

/** OpenSSL takes the certificates before a broken one and is silent about the rest, so each is parsed here. */
function certificates(file: string, pem: Buffer): readonly X509Certificate[] {
  const text = pem.toString('latin1');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const begun = text.split('-----BEGIN').length - 1;
  if (blocks.length === 0 || blocks.length !== begun) throw new Error(`${file} holds no complete PEM certificates`);
  return blocks.map((block) => check(file, 'holds a broken certificate', () => new X509Certificate(block)));
}

function check<T>(file: string, rule: string, attempt: () => T): T {
  try {
    return attempt();
  } catch {
    // The error of OpenSSL may quote the file.
    throw new Error(`${file} ${rule}`);
  }
}
