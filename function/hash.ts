import { createHash } from 'node:crypto';

/** SHA-256 of the UTF-8 text, as bytes. */
export function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** The first `length` hexadecimal digits of the text's SHA-256. */
export function shortHash(text: string, length = 10): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, length);
}
