import { markOf } from './secrets.ts';

const SLOTS = 4096;
const LONGEST = 64;

/**
 * Keys of Structs by their bytes: the same few hundred keys come thousands of times in a request. One key a slot, the
 * newest stays, so that its size is bound whatever arrives. It holds keys only, never values.
 */
export class KeyCache {
  /** mark of the key that `find` gave last (secrets.ts) */
  mark = 0;
  private readonly keys: string[] = new Array<string>(SLOTS).fill('');
  private readonly marks = new Uint8Array(SLOTS);

  /** The key at [start, end), undefined when it is too long or not plain ASCII: then the caller decodes it, unmarked. */
  find(bytes: Buffer, start: number, end: number): string | undefined {
    this.mark = 0;
    const length = end - start;
    if (length > LONGEST) return undefined;
    let hash = length;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
    const known = this.keys[slot] ?? '';
    if (!isText(known, bytes, start, length)) return this.learn(slot, bytes, start, end);
    this.mark = this.marks[slot] ?? 0;
    return known;
  }

  private learn(slot: number, bytes: Buffer, start: number, end: number): string | undefined {
    for (let at = start; at < end; at++) if ((bytes[at] ?? 128) > 127) return undefined;
    const text = bytes.toString('latin1', start, end);
    // A property name is the one copy of its text that V8 compares by address.
    const [key = text] = Object.keys({ [text]: 0 });
    this.mark = markOf(key);
    this.keys[slot] = key;
    this.marks[slot] = this.mark;
    return key;
  }
}

function isText(text: string, bytes: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at++) if (text.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
