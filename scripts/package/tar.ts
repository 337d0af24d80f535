// Reproducible tar archives (POSIX ustar): files sorted by name, owned by root, all with one timestamp.
import { gzipSync } from 'node:zlib';

export type Entry = { readonly path: string; readonly content: Buffer; readonly isProgram?: boolean };

const block = 512;
const padded = (content: Buffer): Buffer[] => [content, Buffer.alloc((block - (content.length % block)) % block)];
const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** ustar splits a long path at a slash: up to 155 bytes before it, up to 100 after it. */
function divide(path: string): { readonly name: string; readonly prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' };
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
  const at = slashes.find(
    index => Buffer.byteLength(path.slice(index + 1)) <= 100 && Buffer.byteLength(path.slice(0, index)) <= 155,
  );
  if (at === undefined) throw new Error(`too long a name for a tar archive: ${path}`);
  return { name: path.slice(at + 1), prefix: path.slice(0, at) };
}

function header({ path, content, isProgram = false }: Entry, seconds: number): Buffer {
  const { name, prefix } = divide(path);
  const bytes = Buffer.alloc(block);
  const put = (text: string, at: number) => bytes.write(text, at, 'utf8');
  put(name, 0);
  put(octal(isProgram ? 0o755 : 0o644, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(content.length, 12), 124);
  put(octal(seconds, 12), 136);
  put('        ', 148); // the checksum is computed with its own field as spaces
  put('0', 156);
  put('ustar\0', 257);
  put('00', 263);
  put('root', 265);
  put('root', 297);
  put(prefix, 345);
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
