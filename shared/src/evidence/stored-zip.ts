// The single accepted form of ZIP: stored entries of fixed names in a fixed order, without times, extra fields or
// comments. Everything else is rejected, so that an archive has one interpretation. Extracts nothing.
import { crc32 } from '#primitives';
import { concatBytes, isSameBytes, toUtf8 } from './digest.ts';

/** The only accepted values of the constant header fields. */
const zipValues = {
  versionMadeBy: 0x033f,
  versionNeeded: 20,
  flags: 0x0800,
  method: 0,
  dosTime: 0,
  dosDate: 0x0022,
  externalAttributes: 0x81a40000,
} as const;

type ArchiveCode =
  | 'ARCHIVE_TOO_LARGE'
  | 'ARCHIVE_TRUNCATED'
  | 'ARCHIVE_ENTRY_HEADER'
  | 'ARCHIVE_ENTRY_NAME'
  | 'ARCHIVE_ENTRY_TOO_LARGE'
  | 'ARCHIVE_ENTRY_CHECKSUM'
  | 'ARCHIVE_DIRECTORY'
  | 'ARCHIVE_END_RECORD'
  | 'ARCHIVE_TRAILING_BYTES';

export class ArchiveError extends Error {
  readonly code: ArchiveCode;
  constructor(code: ArchiveCode, message: string) {
    super(message);
    this.name = 'ArchiveError';
    this.code = code;
  }
}

type Field = readonly [name: string, bytes: 2 | 4, value: number];
type Entry = { name: string; offset: number; size: number; crc: number; data: Uint8Array };

const localSignature = 0x04034b50;
const directorySignature = 0x02014b50;
const endSignature = 0x06054b50;
const localHeaderBytes = 30;

type ZipForm = {
  /** In this order. */
  readonly names: readonly string[];
  /** Entries that may be missing. */
  readonly optional?: readonly string[];
  readonly maxArchiveBytes: number;
  readonly maxEntryBytes: number;
};

/** The entries as views into `archive`, which is untrusted; throws ArchiveError. */
export function readStoredZip(archive: Uint8Array, form: ZipForm): Map<string, Uint8Array> {
  if (archive.length > form.maxArchiveBytes)
    throw new ArchiveError('ARCHIVE_TOO_LARGE', `the archive exceeds ${form.maxArchiveBytes} bytes`);
  const reader = new FieldReader(archive);
  const entries: Entry[] = [];
  for (const name of form.names)
    if (!form.optional?.includes(name) || reader.isAtEntry(name))
      entries.push(readEntry(reader, name, form.maxEntryBytes));
  const directoryStart = reader.at;
  for (const entry of entries) {
    reader.expect('ARCHIVE_DIRECTORY', `directory entry of ${entry.name}`, directoryFields(entry));
    reader.expectText('ARCHIVE_DIRECTORY', entry.name);
  }
  reader.expect('ARCHIVE_END_RECORD', 'end record', endFields(entries.length, directoryStart, reader.at));
  if (reader.at !== archive.length) throw new ArchiveError('ARCHIVE_TRAILING_BYTES', 'bytes follow the end record');
  for (const entry of entries)
    if (crc32(entry.data) !== entry.crc)
      throw new ArchiveError('ARCHIVE_ENTRY_CHECKSUM', `the checksum of ${entry.name} is wrong`);
  return new Map(entries.map(entry => [entry.name, entry.data]));
}

function readEntry(reader: FieldReader, name: string, maxEntryBytes: number): Entry {
  const offset = reader.at;
  const crc = reader.peek(offset + 14, 4);
  const size = reader.peek(offset + 18, 4);
  if (reader.peek(offset, 4) !== localSignature)
    throw new ArchiveError('ARCHIVE_ENTRY_HEADER', `expected the header of ${name}`);
  if (size > maxEntryBytes) throw new ArchiveError('ARCHIVE_ENTRY_TOO_LARGE', `${name} exceeds ${maxEntryBytes} bytes`);
  reader.expect('ARCHIVE_ENTRY_HEADER', `header of ${name}`, localFields(name, crc, size));
  reader.expectText('ARCHIVE_ENTRY_NAME', name);
  return { name, offset, size, crc, data: reader.take(size) };
}

/** The archive that `readStoredZip` reads as these entries. */
export function writeStoredZip(items: readonly (readonly [name: string, data: Uint8Array])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  const add = (...more: readonly Uint8Array[]) => {
    parts.push(...more);
    at += more.reduce((sum, part) => sum + part.length, 0);
  };
  const entries: Entry[] = [];
  for (const [name, data] of items) {
    const entry = { name, offset: at, size: data.length, crc: crc32(data), data };
    add(pack(localFields(name, entry.crc, entry.size)), toUtf8(name), data);
    entries.push(entry);
  }
  const directoryStart = at;
  for (const entry of entries) add(pack(directoryFields(entry)), toUtf8(entry.name));
  add(pack(endFields(entries.length, directoryStart, at)));
  return concatBytes(...parts);
}

function pack(fields: readonly Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [, size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

function localFields(name: string, crc: number, size: number): Field[] {
  return [
    ['signature', 4, localSignature],
    ['version needed', 2, zipValues.versionNeeded],
    ['flags', 2, zipValues.flags],
    ['compression method', 2, zipValues.method],
    ['time', 2, zipValues.dosTime],
    ['date', 2, zipValues.dosDate],
    ['checksum', 4, crc],
    ['stored size', 4, size],
    ['size', 4, size],
    ['name length', 2, name.length],
    ['extra field length', 2, 0],
  ];
}

function directoryFields(entry: Entry): Field[] {
  const [, ...shared] = localFields(entry.name, entry.crc, entry.size);
  return [
    ['signature', 4, directorySignature],
    ['version made by', 2, zipValues.versionMadeBy],
    ...shared,
    ['comment length', 2, 0],
    ['disk', 2, 0],
    ['internal attributes', 2, 0],
    ['external attributes', 4, zipValues.externalAttributes],
    ['offset', 4, entry.offset],
  ];
}

function endFields(entries: number, directoryStart: number, directoryEnd: number): Field[] {
  return [
    ['signature', 4, endSignature],
    ['disk', 2, 0],
    ['directory disk', 2, 0],
    ['entries on disk', 2, entries],
    ['entries', 2, entries],
    ['directory size', 4, directoryEnd - directoryStart],
    ['directory offset', 4, directoryStart],
    ['comment length', 2, 0],
  ];
}

class FieldReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads without advancing; requires that a whole local header still fits. */
  peek(offset: number, size: 2 | 4): number {
    if (this.at + localHeaderBytes > this.#bytes.length) throw truncated();
    return size === 2 ? this.#view.getUint16(offset, true) : this.#view.getUint32(offset, true);
  }

  /** Whether the header of an entry of this name comes next. */
  isAtEntry(name: string): boolean {
    const start = this.at + localHeaderBytes;
    const found = this.#bytes.subarray(start, start + name.length);
    return (
      this.peek(this.at, 4) === localSignature &&
      this.peek(this.at + 26, 2) === name.length &&
      isSameBytes(found, toUtf8(name))
    );
  }

  expect(code: ArchiveCode, what: string, fields: readonly Field[]): void {
    for (const [name, size, value] of fields) {
      if (this.at + size > this.#bytes.length) throw truncated();
      const found = size === 2 ? this.#view.getUint16(this.at, true) : this.#view.getUint32(this.at, true);
      if (found !== value) throw new ArchiveError(code, `the ${what} has a wrong ${name}`);
      this.at += size;
    }
  }

  expectText(code: ArchiveCode, name: string): void {
    const found = this.take(name.length);
    for (let i = 0; i < name.length; i++)
      if (found[i] !== name.charCodeAt(i)) throw new ArchiveError(code, `expected the entry ${name}`);
  }

  take(size: number): Uint8Array {
    if (this.at + size > this.#bytes.length) throw truncated();
    this.at += size;
    return this.#bytes.subarray(this.at - size, this.at);
  }
}

const truncated = () => new ArchiveError('ARCHIVE_TRUNCATED', 'the archive is cut off');
