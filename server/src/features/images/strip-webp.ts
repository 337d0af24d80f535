// Metadata removal for WebP (RFC 9649): EXIF, XMP, unknown chunks, and trailing bytes.
import { ByteReader, checkSize, InvalidImage } from './byte-reader.ts';

const shown = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
const metadataFlags = 0x08 | 0x04;

export function stripWebp(bytes: Buffer): Buffer {
  const size = bytes.readUInt32LE(4) + 8;
  if (size > bytes.length) throw new InvalidImage('it ends too early');
  const reader = new ByteReader(bytes.subarray(0, size));
  reader.take(12);
  const kept: Buffer[] = [];
  while (!reader.isAtEnd) {
    const from = reader.position;
    const type = reader.take(4).toString('latin1');
    const length = reader.take(4).readUInt32LE();
    const data = reader.take(length);
    if (length % 2 === 1) reader.take(1);
    if (kept.length === 0) checkSize(...readSize(type, data));
    if (shown.has(type)) kept.push(type === 'VP8X' ? withoutFlags(reader.since(from)) : reader.since(from));
  }
  if (kept.length === 0) throw new InvalidImage('it holds no picture');
  const body = Buffer.concat(kept);
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(body.length + 4, 4);
  return Buffer.concat([head, body]);
}

/** The first chunk contains it, in one of three formats. */
function readSize(type: string, data: Buffer): [width: number, height: number] {
  if (data.length < 10) throw new InvalidImage('its header is too short');
  if (type === 'VP8X') return [data.readUIntLE(4, 3) + 1, data.readUIntLE(7, 3) + 1];
  if (type === 'VP8 ') return [data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff];
  if (type !== 'VP8L') throw new InvalidImage('its header is missing');
  const bits = data.readUInt32LE(1);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}

function withoutFlags(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  copy.writeUInt8(copy.readUInt8(8) & ~metadataFlags & 0xff, 8);
  return copy;
}
