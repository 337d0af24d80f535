// A writer of stored ZIP archives with every field open to change, so that tests can make archives that must be
// rejected. Independent of the product's writer; with nothing changed the bytes are the same.
import { crc32 } from 'node:zlib';

export type ZipEntry = { name: string; data: Uint8Array };
export type ZipFields = Record<string, number>;
export type ZipChanges = {
  before?: Uint8Array;
  after?: Uint8Array;
  /** Fields of a header with other values. */
  local?: (index: number) => ZipFields;
  directory?: (index: number) => ZipFields;
  end?: ZipFields;
  /** Bytes to append to a header or an entry, for extra fields, comments and gaps. */
  localExtra?: (index: number) => Uint8Array;
  directoryExtra?: (index: number) => Uint8Array;
  gapAfter?: (index: number) => Uint8Array;
  comment?: Uint8Array;
};

const none = new Uint8Array(0);

const localLayout = [
  'signature:4',
  'needed:2',
  'flags:2',
  'method:2',
  'time:2',
  'date:2',
  'crc:4',
  'stored:4',
  'size:4',
  'nameLength:2',
  'extraLength:2',
];
const directoryLayout = [
  'signature:4',
  'madeBy:2',
  ...localLayout.slice(1),
  'commentLength:2',
  'disk:2',
  'internal:2',
  'external:4',
  'offset:4',
];
const endLayout = [
  'signature:4',
  'disk:2',
  'directoryDisk:2',
  'entriesHere:2',
  'entries:2',
  'directorySize:4',
  'directoryOffset:4',
  'commentLength:2',
];

function pack(layout: readonly string[], fields: ZipFields): Uint8Array {
  const parts = layout.map(item => {
    const [name = '', bytes = '0'] = item.split(':');
    const part = Buffer.alloc(Number(bytes));
    part.writeUIntLE((fields[name] ?? 0) % 2 ** (8 * Number(bytes)), 0, Number(bytes));
    return part;
  });
  return Buffer.concat(parts);
}

export function writeZip(entries: readonly ZipEntry[], changes: ZipChanges = {}): Uint8Array {
  const parts: Uint8Array[] = [changes.before ?? none];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  const offsets: number[] = [];
  for (const [index, entry] of entries.entries()) {
    offsets.push(length());
    const fields = { ...fieldsOf(entry), signature: 0x04034b50, ...changes.local?.(index) };
    parts.push(pack(localLayout, fields), Buffer.from(entry.name), changes.localExtra?.(index) ?? none, entry.data);
    parts.push(changes.gapAfter?.(index) ?? none);
  }
  const directoryOffset = length();
  for (const [index, entry] of entries.entries()) {
    const fixed = { signature: 0x02014b50, madeBy: 0x033f, external: 0x81a40000, offset: offsets[index] ?? 0 };
    const fields = { ...fieldsOf(entry), ...fixed, ...changes.directory?.(index) };
    parts.push(pack(directoryLayout, fields), Buffer.from(entry.name), changes.directoryExtra?.(index) ?? none);
  }
  const end: ZipFields = { signature: 0x06054b50, entriesHere: entries.length, entries: entries.length };
  Object.assign(end, { directoryOffset, directorySize: length() - directoryOffset });
  end.commentLength = changes.comment?.length ?? 0;
  parts.push(pack(endLayout, { ...end, ...changes.end }), changes.comment ?? none, changes.after ?? none);
  return new Uint8Array(Buffer.concat(parts));
}

const fieldsOf = (entry: ZipEntry): ZipFields => ({
  needed: 20,
  flags: 0x0800,
  method: 0,
  time: 0,
  date: 0x0022,
  crc: crc32(entry.data),
  stored: entry.data.length,
  size: entry.data.length,
  nameLength: Buffer.byteLength(entry.name),
  extraLength: 0,
});
