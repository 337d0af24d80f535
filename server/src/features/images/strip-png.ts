// Metadata removal for PNG (ISO/IEC 15948): texts, times, EXIF, and trailing bytes.
import { ByteReader, checkSize, InvalidImage } from './byte-reader.ts';

const signatureBytes = 8;
/** The chunks of image data, colours, and animation frames. */
const shown = new Set('IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP bKGD pHYs acTL fcTL fdAT'.split(' '));

export function stripPng(bytes: Buffer): Buffer {
  const reader = new ByteReader(bytes);
  const kept = [reader.take(signatureBytes)];
  for (let count = 0; ; count += 1) {
    const from = reader.position;
    const length = reader.take(4).readUInt32BE();
    const type = reader.take(4).toString('latin1');
    const data = reader.take(length);
    reader.take(4);
    if ((type === 'IHDR') !== (count === 0)) throw new InvalidImage('its header is not where it belongs');
    if (type === 'IHDR') {
      if (length !== 13) throw new InvalidImage('its header has a wrong length');
      checkSize(data.readUInt32BE(0), data.readUInt32BE(4));
    }
    if (shown.has(type)) kept.push(reader.since(from));
    if (type === 'IEND') return Buffer.concat(kept);
  }
}
