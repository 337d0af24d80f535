// Streaming ZIP writer: members are stored uncompressed, in order and at the reader's pace, so the total length is
// known in advance if all members' sizes are. Large files and many members use ZIP64 records. Names are written as
// given.
import { crc32 } from 'node:zlib';

export type ZipMember = {
  readonly name: string;
  /** Null if unknown until it is read; then less than 4 GiB. */
  readonly size: number | null;
  /** Milliseconds since 1970; written in UTC. */
  readonly modifiedAt: number;
  /**
   * Called at the member's turn. Must yield exactly `size` bytes; if `size` is null, returning null omits the member.
   */
  readonly open: () => Promise<AsyncIterable<Uint8Array> | null>;
};

type Entry = {
  readonly member: ZipMember;
  /** Zero while unknown. */
  readonly size: number;
  readonly name: Buffer;
  readonly offset: number;
  readonly isLarge: boolean;
};

const most32 = 0xffffffff;
const most16 = 0xffff;
const storedNeeds = 20;
const largeNeeds = 45;
const unix = 3 << 8;
/** Data descriptors follow the bytes; names are UTF-8. */
const flags = 0x0808;
const regularFile = (0o100644 << 16) >>> 0;
const [localBytes, endBytes, largeEndBytes] = [30, 22, 56 + 20];
const localExtraBytes = 20;

type Field = readonly [bytes: 2 | 4 | 8, value: number];

function pack(fields: readonly Field[]): Buffer {
  const packed = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) packed.writeBigUInt64LE(BigInt(value), at);
    else packed.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return packed;
}

const footBytesOf = ({ isLarge }: Entry): number => (isLarge ? 24 : 16);

function toDosTime(at: number): readonly [time: number, date: number] {
  const time = new Date(Math.max(at, Date.UTC(1980, 0, 1)));
  const years = Math.min(time.getUTCFullYear() - 1980, 127);
  return [
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
    (years << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
  ];
}

function toLocalHeader({ member, name, isLarge }: Entry): Buffer {
  const [time, date] = toDosTime(member.modifiedAt);
  const size = isLarge ? most32 : 0;
  const extra: Field[] = isLarge ? [[2, 1], [2, 16], [8, 0], [8, 0]] : []; // biome-ignore format: one record
  return Buffer.concat([
    pack([
      [4, 0x04034b50], [2, isLarge ? largeNeeds : storedNeeds], [2, flags], [2, 0], [2, time], [2, date],
      [4, 0], [4, size], [4, size], [2, name.length], [2, isLarge ? localExtraBytes : 0],
    ]), // biome-ignore format: one record
    name,
    pack(extra),
  ]);
}

const toFoot = ({ size, isLarge }: Entry, crc: number): Buffer => {
  const bytes = isLarge ? 8 : 4;
  return pack([[4, 0x08074b50], [4, crc], [bytes, size], [bytes, size]]); // biome-ignore format: one record
};

function toDirectoryEntry({ member, size: memberSize, name, offset, isLarge }: Entry, crc: number): Buffer {
  const [time, date] = toDosTime(member.modifiedAt);
  const isFar = offset >= most32;
  const large: Field[] = [
    ...(isLarge ? ([[8, memberSize], [8, memberSize]] as const) : []), // biome-ignore format: one record
    ...(isFar ? ([[8, offset]] as const) : []),
  ];
  const extra = large.length === 0 ? Buffer.alloc(0) : pack([[2, 1], [2, large.length * 8], ...large]); // biome-ignore format: one record
  const needs = isLarge || isFar ? largeNeeds : storedNeeds;
  const size = isLarge ? most32 : memberSize;
  return Buffer.concat([
    pack([
      [4, 0x02014b50], [2, unix | needs], [2, needs], [2, flags], [2, 0], [2, time], [2, date], [4, crc], [4, size],
      [4, size], [2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0], [4, regularFile],
      [4, Math.min(offset, most32)],
    ]), // biome-ignore format: one record
    name,
    extra,
  ]);
}

type Directory = { readonly count: number; readonly offset: number; readonly bytes: number };

const needsLargeEnd = ({ count, offset, bytes }: Directory): boolean =>
  count >= most16 || offset >= most32 || bytes >= most32;

function toEnd(directory: Directory): Buffer {
  const { count, offset, bytes } = directory;
  const large: Field[] = [
    [4, 0x06064b50], [8, 44], [2, unix | largeNeeds], [2, largeNeeds], [4, 0], [4, 0], [8, count], [8, count],
    [8, bytes], [8, offset], [4, 0x07064b50], [4, 0], [8, offset + bytes], [4, 1],
  ]; // biome-ignore format: one record
  const few = Math.min(count, most16);
  return pack([
    ...(needsLargeEnd(directory) ? large : []),
    [4, 0x06054b50], [2, 0], [2, 0], [2, few], [2, few], [4, Math.min(bytes, most32)], [4, Math.min(offset, most32)],
    [2, 0],
  ]); // biome-ignore format: one record
}

function toEntry(member: ZipMember, offset: number): Entry {
  const size = member.size ?? 0;
  return { member, size, name: Buffer.from(member.name), offset, isLarge: size >= most32 };
}

/** The offset after this member. */
const endOf = (one: Entry): number =>
  one.offset + localBytes + one.name.length + (one.isLarge ? localExtraBytes : 0) + one.size + footBytesOf(one);

async function* write(members: readonly ZipMember[]): AsyncGenerator<Uint8Array, void, void> {
  const entries: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const begun = toEntry(member, offset);
    const blocks = member.size === null ? await member.open() : undefined;
    if (blocks === null) continue;
    yield toLocalHeader(begun);
    let crc = 0;
    let bytes = 0;
    for await (const block of blocks ?? (await member.open()) ?? []) {
      crc = crc32(block, crc);
      bytes += block.length;
      yield block;
    }
    if (member.size !== null && bytes !== member.size)
      throw new Error(`a ZIP member was announced with ${member.size} bytes, but ${bytes} arrived`);
    if (bytes >= most32 && !begun.isLarge) throw new Error(`a ZIP member of unknown size has ${bytes} bytes: too many`);
    const one = { ...begun, size: bytes };
    yield toFoot(one, crc);
    entries.push(toDirectoryEntry(one, crc));
    offset = endOf(one);
  }
  yield* entries;
  const bytes = entries.reduce((sum, entry) => sum + entry.length, 0);
  yield toEnd({ count: entries.length, offset, bytes });
}

/** The exact total length; null if a member's size is unknown. */
function measure(members: readonly ZipMember[]): number | null {
  let offset = 0;
  let bytes = 0;
  for (const member of members) {
    if (member.size === null) return null;
    const one = toEntry(member, offset);
    bytes += toDirectoryEntry(one, 0).length;
    offset = endOf(one);
  }
  const end = needsLargeEnd({ count: members.length, offset, bytes }) ? largeEndBytes : 0;
  return offset + bytes + endBytes + end;
}

/** `read` may be called once. */
export const planZip = (
  members: readonly ZipMember[],
): { size: number | null; read: () => AsyncGenerator<Uint8Array> } => ({
  size: measure(members),
  read: () => write(members),
});
