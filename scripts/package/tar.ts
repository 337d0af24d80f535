// A tar archive (POSIX ustar) that says nothing of whoever made it: files in the order of their names, owned by root, all of
// one time.
import { gzipSync } from 'node:zlib';

export type Entry = { readonly path: string; readonly content: Buffer; readonly isProgram?: boolean };

const block = 512;
const padded = (content: Buffer): Buffer[] => [content, Buffer.alloc((block - (content.length % block)) % block)];
const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

function header({ path, content, isProgram = false }: Entry, seconds: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`too long a name for a tar archive: ${path}`);
  const bytes = Buffer.alloc(block);
  const put = (text: string, at: number) => bytes.write(text, at, 'utf8');
  put(path, 0);
  put(octal(isProgram ? 0o755 : 0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(content.length, 12), 124);
  put(octal(seconds, 12), 136);
  put('        ', 148); // the checksum counts itself as spaces
  put('0', 156);
  put('ustar\0', 257);
  put('00', 263);
  put('root', 265);
  put('root', 297);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

const byPath = (a: Entry, b: Entry): number => (a.path < b.path ? -1 : 1);

export function toTar(entries: readonly Entry[], seconds: number): Buffer {
  const blocks = entries.toSorted(byPath).flatMap(entry => [header(entry, seconds), ...padded(entry.content)]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * block)]);
}

export const toTarGz = (entries: readonly Entry[], seconds: number): Buffer => gzipSync(toTar(entries, seconds));
