// Bitcoin block headers supplied by the caller: 80 bytes each, from the first block on in one file, or as lines of text
// with the height. They are trusted; no work is recomputed.
import { parseHex, parseUtf8 } from './digest.ts';

const bitcoinHeaderBytes = 80;
const maxLines = 100_000;

/** The header of this height, if available. */
export type BitcoinHeaders = (height: number) => Uint8Array | undefined;

/** Throws RangeError with the defect of the file. */
export function parseBitcoinHeaders(bytes: Uint8Array): BitcoinHeaders {
  if (!isText(bytes)) {
    if (bytes.length % bitcoinHeaderBytes !== 0) throw new RangeError('the file of block headers is cut off');
    return height => {
      const start = height * bitcoinHeaderBytes;
      return start + bitcoinHeaderBytes <= bytes.length ? bytes.subarray(start, start + bitcoinHeaderBytes) : undefined;
    };
  }
  const headers = new Map<number, Uint8Array>();
  const lines = parseUtf8(bytes).split('\n');
  if (lines.length > maxLines) throw new RangeError('the file of block headers has too many lines');
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, height = '', hex = ''] = /^([0-9]{1,9})[ \t]+([0-9a-f]{160})\s*$/.exec(line) ?? [];
    if (hex === '' || headers.has(Number(height)))
      throw new RangeError(
        `line ${at + 1} of the block headers must be a height of its own and 160 lowercase hex digits`,
      );
    headers.set(Number(height), parseHex(hex));
  }
  return height => headers.get(height);
}

const isText = (bytes: Uint8Array): boolean =>
  bytes.subarray(0, bitcoinHeaderBytes).every(byte => byte >= 9 && byte < 0x80 && byte !== 0x0b);

export const merkleRootOf = (header: Uint8Array): Uint8Array => header.subarray(36, 68);

export const blockSeconds = (header: Uint8Array): number =>
  new DataView(header.buffer, header.byteOffset, header.byteLength).getUint32(68, true);
