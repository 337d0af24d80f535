// Download rules of RFC 9110 and its companions: preconditions, single ranges, and file names that all browsers decode.
// Pure.
import type { IncomingHttpHeaders } from 'node:http';

/** `end` is one past the last byte. */
export type ByteRange = { readonly start: number; readonly end: number };

type Selection =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'other' }
  | { readonly kind: 'outside' };

const tagsOf = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** Weak comparison, as required for If-None-Match. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || tagsOf(ifNoneMatch).some(tag => tag.replace(/^W\//, '') === etag);
}

/** Strong comparison, as required for If-Match. */
const isOther = (ifMatch: string | undefined, etag: string): boolean =>
  ifMatch !== undefined && ifMatch.trim() !== '*' && !tagsOf(ifMatch).includes(etag);

/**
 * Returns undefined for a header to be ignored: another unit, several ranges, malformed. Null if the range is outside
 * the file.
 */
function parseByteRange(header: string | undefined, size: number): ByteRange | null | undefined {
  const match = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header ?? '');
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return null;
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

export function selectBytes(headers: IncomingHttpHeaders, method: string, size: number, etag: string): Selection {
  if (isOther(headers['if-match'], etag)) return { kind: 'other' };
  if (isUnchanged(headers['if-none-match'], etag)) return { kind: 'unchanged' };
  if (method !== 'GET') return { kind: 'whole' };
  const ifRange = headers['if-range'];
  if (ifRange !== undefined && String(ifRange).trim() !== etag) return { kind: 'whole' };
  const range = parseByteRange(headers.range, size);
  if (range === undefined) return { kind: 'whole' };
  return range === null ? { kind: 'outside' } : { kind: 'part', range };
}

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** RFC 8187: percent-encodes everything but attr-char. */
function encodeExtended(text: string): string {
  let encoded = '';
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    encoded += /[A-Za-z0-9!#$&+.^_`|~-]/.test(character) ? character : percent(byte);
  }
  return encoded;
}

/**
 * RFC 6266: an ASCII name for old clients, the full name for others. The ASCII name has no `%`, because some clients
 * decode it.
 */
export function toAttachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(fileName)}`;
}
