// The list of a sealed folder, recordproof.folder.v1 (docs/spec/folder-seal.md): one canonical JSON text, written and
// read as a stream. Rejects every list that differs from what this writer would write.
import { canonicalJson } from './canonical-json.ts';
import { toUtf8 } from './digest.ts';

export type FolderEntry = {
  /** Relative to the folder, with `/` as separator. */
  readonly path: string;
  readonly size: number;
  /** `sha256:<hex>` */
  readonly sha256: string;
};

export const folderListType = 'application/vnd.recordproof.folder+json';
export const maxFolderEntries = 2_000_000;
const maxPathBytes = 4096;

const head = '{"files":[';
const tail = '],"schema":"recordproof.folder.v1"}';

type FolderListCode = 'LIST_NOT_UTF8' | 'LIST_MALFORMED' | 'LIST_PATH' | 'LIST_ORDER' | 'LIST_TOO_LONG';

/** The message contains nothing of the list, which is untrusted text. */
export class FolderListError extends Error {
  readonly code: FolderListCode;
  constructor(code: FolderListCode, message: string) {
    super(message);
    this.name = 'FolderListError';
    this.code = code;
  }
}

/** Compares UTF-8 bytes, which is the order of code points and differs from that of UTF-16. */
export function comparePaths(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a !== b) return toRank(a) - toRank(b);
  }
  return left.length - right.length;
}

/** Surrogates sort after everything up to U+FFFF. */
const toRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Why this is no valid path of a list; undefined if it is. */
export function findPathFault(path: string): string | undefined {
  if (!path.isWellFormed()) return 'is not Unicode text';
  if (/\p{Cc}/u.test(path)) return 'holds control characters';
  if (/(?:^|\/)(?:\.{0,2})(?:\/|$)/.test(path)) return 'has a part that is empty, "." or ".."';
  if (path.normalize('NFC') !== path) return 'is not in Unicode form NFC';
  if (3 * path.length > maxPathBytes && toUtf8(path).length > maxPathBytes)
    return `is longer than ${maxPathBytes} bytes`;
  return undefined;
}

/** Throws FolderListError for entries that a reader would reject. Yields the bytes of the list in pieces. */
export async function* writeFolderList(
  entries: AsyncIterable<readonly FolderEntry[]>,
): AsyncGenerator<Uint8Array, number> {
  let last: string | undefined;
  let count = 0;
  for await (const some of entries) {
    let text = count === 0 ? head : '';
    for (const entry of some) {
      const { path, size, sha256 } = entry;
      assertNext(path, last);
      if (count === maxFolderEntries) throw tooLong();
      if (count > 0) text += ',';
      text += canonicalJson({ path, sha256, size });
      last = path;
      count += 1;
    }
    if (some.length > 0) yield toUtf8(text);
  }
  if (count === 0) throw new FolderListError('LIST_MALFORMED', 'a list has at least one file');
  yield toUtf8(tail);
  return count;
}

function assertNext(path: string, last: string | undefined): void {
  const fault = findPathFault(path);
  if (fault !== undefined) throw new FolderListError('LIST_PATH', `a path in the list ${fault}`);
  if (last !== undefined && comparePaths(last, path) >= 0)
    throw new FolderListError('LIST_ORDER', 'the paths of the list are not in ascending order, each once');
}

const tooLong = (): FolderListError =>
  new FolderListError('LIST_TOO_LONG', `a list has at most ${maxFolderEntries} files`);

/** Buffers one block and its entries. A list is valid only if it is read to its end. */
export async function* readFolderList(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly FolderEntry[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const reader = new ListReader();
  const decode = (block?: Uint8Array): string => {
    try {
      return block === undefined ? decoder.decode() : decoder.decode(block, { stream: true });
    } catch {
      throw new FolderListError('LIST_NOT_UTF8', 'the list is not UTF-8');
    }
  };
  for await (const block of blocks) {
    const entries = reader.take(decode(block));
    if (entries.length > 0) yield entries;
  }
  const entries = reader.take(decode());
  reader.end();
  if (entries.length > 0) yield entries;
}

/** One entry with its separator. A size of 16 digits may still exceed a safe integer. */
const entryToken =
  /\{"path":("[^"\\]*(?:\\.[^"\\]*)*"),"sha256":"(sha256:[0-9a-f]{64})","size":(0|[1-9][0-9]{0,15})\}([,\]])/y;
/** A path of maximum length with every character escaped, and the rest of its entry. */
const maxEntryLength = 2 * maxPathBytes + 256;

class ListReader {
  #rest = '';
  #part: 'head' | 'entries' | 'tail' = 'head';
  #last: string | undefined;
  #count = 0;

  take(text: string): FolderEntry[] {
    this.#rest += text;
    if (this.#part === 'head') this.#takeHead();
    const entries = this.#part === 'entries' ? this.#takeEntries() : [];
    // The rest of an entry or of the tail is short; anything longer is malformed.
    if (this.#rest.length > maxEntryLength) throw malformed();
    return entries;
  }

  end(): void {
    if (this.#part !== 'tail' || this.#rest !== tail) throw malformed();
  }

  #takeHead(): void {
    if (this.#rest.length < head.length) return;
    if (!this.#rest.startsWith(head)) throw malformed();
    this.#rest = this.#rest.slice(head.length);
    this.#part = 'entries';
  }

  #takeEntries(): FolderEntry[] {
    const entries: FolderEntry[] = [];
    let at = 0;
    while (this.#part === 'entries') {
      entryToken.lastIndex = at;
      const match = entryToken.exec(this.#rest);
      if (match === null) break;
      entries.push(this.#toEntry(match));
      at = entryToken.lastIndex;
      // The bracket after the last entry starts the tail.
      if (match[4] === ']') this.#part = 'tail';
    }
    this.#rest = this.#rest.slice(this.#part === 'tail' ? at - 1 : at);
    return entries;
  }

  #toEntry([, literal = '', sha256 = '', digits = '']: readonly string[]): FolderEntry {
    const [path, size] = [parseString(literal), Number(digits)];
    if (!Number.isSafeInteger(size)) throw malformed();
    assertNext(path, this.#last);
    // Only one form of a string is canonical.
    if (canonicalJson(path) !== literal) throw malformed();
    if (this.#count === maxFolderEntries) throw tooLong();
    this.#count += 1;
    this.#last = path;
    return { path, size, sha256 };
  }
}

function parseString(literal: string): string {
  try {
    return JSON.parse(literal);
  } catch {
    throw malformed();
  }
}

const malformed = (): FolderListError =>
  new FolderListError('LIST_MALFORMED', 'this is not a list recordproof.folder.v1 in its canonical form');
