// Paths and file format of objects on disk. Pure.
//   <folder>/objects/<area>/<shard>/<escaped key>=      area: first segment of the key; shard: two hex digits of its SHA-256
// A file is the object's bytes and a footer, so that truncated or grown files are detected without being read.
import { createHash } from 'node:crypto';
import { ObjectStoreError } from './object-store.ts';

const magic = Buffer.from('RPOBJv1\n', 'latin1');
export const footerBytes = 32 + 8 + magic.length;

export function toFooter(size: number, sha256: string): Buffer {
  const footer = Buffer.alloc(footerBytes);
  footer.write(sha256, 0, 'hex');
  footer.writeBigUInt64BE(BigInt(size), 32);
  magic.copy(footer, 40);
  return footer;
}

export function parseFooter(footer: Buffer, fileBytes: number): { readonly size: number; readonly sha256: string } {
  const size = footer.length === footerBytes ? footer.readBigUInt64BE(32) : -1n;
  if (size !== BigInt(fileBytes - footerBytes) || !footer.subarray(40).equals(magic)) {
    throw new ObjectStoreError('CORRUPT', 'a stored object was cut, grown or overwritten on disk');
  }
  return { size: Number(size), sha256: footer.toString('hex', 0, 32) };
}

const plain = /[a-z0-9._-]/;
const objectMark = '=';
const continuationMark = '+';
const noArea = '=';
const maxNameLength = 200;
const maxAreaLength = 64;

// Escapes upper case and accents because some file systems fold or normalize them. The marks above are always escaped,
// so that no folder and object have the same name.
function escapeKey(key: string): string {
  let escaped = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    const character = String.fromCharCode(byte);
    if (character === '/') escaped += ',';
    else escaped += plain.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped;
}

/** Null for a name that this module cannot have written. */
export function findKeyOfName(name: string): string | null {
  if (!name.endsWith(objectMark)) return null;
  try {
    const key = decodeURIComponent(name.slice(0, -objectMark.length).replaceAll(',', '/'));
    return escapeKey(key) + objectMark === name ? key : null;
  } catch {
    return null;
  }
}

export const isContinuation = (folderName: string): boolean => folderName.endsWith(continuationMark);
export const withoutContinuationMark = (folderName: string): string => folderName.slice(0, -continuationMark.length);

/** The only area that can hold the key or prefix; null for a prefix without a slash. */
export function findArea(keyOrPrefix: string): string | null {
  const slash = keyOrPrefix.indexOf('/');
  return slash < 0 ? null : escapeKey(keyOrPrefix.slice(0, slash)).slice(0, maxAreaLength);
}

/** Folder names below `objects/`, outermost first, and the file name. */
export function toObjectPath(key: string): { readonly folders: readonly string[]; readonly file: string } {
  const escaped = escapeKey(key);
  const pieces: string[] = [];
  for (let from = 0; from < escaped.length; from += maxNameLength)
    pieces.push(escaped.slice(from, from + maxNameLength));
  const last = pieces.pop() ?? '';
  const shard = createHash('sha256').update(key).digest('hex').slice(0, 2);
  const continuations = pieces.map(piece => piece + continuationMark);
  return { folders: [findArea(key) ?? noArea, shard, ...continuations], file: last + objectMark };
}
