// Metadata removal for GIF (89a): comments, texts, application data except animation looping, and trailing bytes.
import { ByteReader, checkSize, InvalidImage } from './byte-reader.ts';

const imageMark = 0x2c;
const extensionMark = 0x21;
const trailer = 0x3b;
const graphicControl = 0xf9;
const application = 0xff;
const looping = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0']);

const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

function skipBlocks(reader: ByteReader): void {
  for (let length = reader.byte(); length > 0; length = reader.byte()) reader.take(length);
}

export function stripGif(bytes: Buffer): Buffer {
  const reader = new ByteReader(bytes);
  const head = reader.take(13);
  checkSize(head.readUInt16LE(6), head.readUInt16LE(8));
  reader.take(tableBytes(head.readUInt8(10)));
  const kept = [reader.since(0)];
  for (;;) {
    const from = reader.position;
    const mark = reader.byte();
    if (mark === trailer) return Buffer.concat([...kept, Buffer.from([trailer])]);
    if (mark === imageMark) {
      reader.take(tableBytes(reader.take(9).readUInt8(8)) + 1);
      skipBlocks(reader);
      kept.push(reader.since(from));
    } else if (mark === extensionMark) {
      if (readExtension(reader)) kept.push(reader.since(from));
    } else throw new InvalidImage('it holds an unknown block');
  }
}

/** Reads one extension to its end; returns whether it is visible. */
function readExtension(reader: ByteReader): boolean {
  const label = reader.byte();
  if (label !== application) {
    skipBlocks(reader);
    return label === graphicControl;
  }
  const name = reader.take(reader.byte()).toString('latin1');
  skipBlocks(reader);
  return looping.has(name);
}
