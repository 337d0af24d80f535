// Metadata removal for JPEG (ITU-T T.81): EXIF, XMP, IPTC, comments, thumbnails, trailing bytes. The orientation is
// kept: a new EXIF segment contains only that.
import { ByteReader, checkSize, InvalidImage } from './byte-reader.ts';

const soi = 0xd8;
const eoi = 0xd9;
const sos = 0xda;
const app0 = 0xe0;
const app1 = 0xe1;
const app2 = 0xe2;
const app14 = 0xee;

/** Tables and frame headers: 0xC0–0xCF, quantization, restart interval, and rarer ones. */
const isPicture = (marker: number): boolean => (marker >= 0xc0 && marker <= 0xcf) || (marker >= 0xdb && marker <= 0xdf);
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7;

const toSegment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};

export function stripJpeg(bytes: Buffer): Buffer {
  const reader = new ByteReader(bytes);
  const kept = [reader.take(2)];
  if (kept[0]?.[1] !== soi) throw new InvalidImage('it has no start');
  for (let marker = nextMarker(reader); marker !== eoi; ) {
    const length = reader.take(2).readUInt16BE();
    if (length < 2) throw new InvalidImage('a segment is too short');
    const data = reader.take(length - 2);
    const segment = keep(marker, data);
    if (segment) kept.push(segment);
    if (marker === sos) {
      const scan = readScan(reader);
      kept.push(scan.data);
      marker = scan.marker;
    } else marker = nextMarker(reader);
  }
  return Buffer.concat([...kept, Buffer.from([0xff, eoi])]);
}

function nextMarker(reader: ByteReader): number {
  if (reader.byte() !== 0xff) throw new InvalidImage('a marker is missing');
  for (;;) {
    const marker = reader.byte();
    if (marker !== 0xff) return marker;
  }
}

/** The compressed data up to the next real marker. */
function readScan(reader: ByteReader): { data: Buffer; marker: number } {
  const from = reader.position;
  for (;;) {
    const at = reader.bytes.indexOf(0xff, reader.position);
    if (at < 0) throw new InvalidImage('it ends within the picture');
    reader.take(at - reader.position);
    const end = reader.position;
    const marker = nextMarker(reader);
    if (marker !== 0 && !isRestart(marker)) return { data: reader.bytes.subarray(from, end), marker };
  }
}

function keep(marker: number, data: Buffer): Buffer | null {
  if (isFrame(marker)) {
    if (data.length < 6) throw new InvalidImage('its header is too short');
    checkSize(data.readUInt16BE(3), data.readUInt16BE(1));
  }
  if (isPicture(marker) || marker === sos) return toSegment(marker, data);
  const begins = (text: string) => data.subarray(0, text.length).equals(Buffer.from(text, 'latin1'));
  if (marker === app0 && begins('JFIF\0') && data.length >= 14) {
    return toSegment(app0, Buffer.concat([data.subarray(0, 12), Buffer.from([0, 0])]));
  }
  if (marker === app2 && begins('ICC_PROFILE\0')) return toSegment(app2, data);
  if (marker === app14 && begins('Adobe')) return toSegment(app14, data.subarray(0, 12));
  if (marker === app1 && begins('Exif\0\0')) return toOrientation(findOrientation(data.subarray(6)));
  return null;
}

const orientationTag = 0x0112;
const shortType = 3;

/** Returns 1 (upright) unless another value is clearly given. */
function findOrientation(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return 1;
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  const count = short(start);
  for (let at = start + 2; at < start + 2 + count * 12 && at + 12 <= tiff.length; at += 12) {
    if (short(at) === orientationTag && short(at + 2) === shortType) return short(at + 8);
  }
  return 1;
}

function toOrientation(orientation: number): Buffer | null {
  if (orientation < 2 || orientation > 8) return null;
  const exif = Buffer.alloc(32);
  exif.write('Exif\0\0MM\0\x2a', 0, 'latin1');
  exif.writeUInt32BE(8, 10);
  exif.writeUInt16BE(1, 14);
  exif.writeUInt16BE(orientationTag, 16);
  exif.writeUInt16BE(shortType, 18);
  exif.writeUInt32BE(1, 20);
  exif.writeUInt16BE(orientation, 24);
  return toSegment(app1, exif);
}
