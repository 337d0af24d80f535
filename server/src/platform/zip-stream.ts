// A ZIP whose length is known before its first byte is: members are stored as they are, one after the other, at the
// reader's pace. Large ones and many of them take the 64-bit records. Names are given as they shall stand there.
import { crc32 } from 'node:zlib';

export type ZipMember = {
  readonly name: string;
  readonly size: number;
  /** Milliseconds since 1970; stands there in UTC. */
  readonly modifiedAt: number;
  /** Called when it is its turn. Must give exactly `size` bytes. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
};

type Placed = { readonly member: ZipMember; readonly name: Buffer; readonly offset: number; readonly isLarge: boolean };

const most32 = 0xffffffff;
const most16 = 0xffff;
const storedNeeds = 20;
const largeNeeds = 45;
const unix = 3 << 8;
/** Sums follow the bytes; names are UTF-8. */
const flags = 0x0808;
const regularFile = (0o100644 << 16) >>> 0;
const [localBytes, directoryBytes, endBytes, largeEndBytes] = [30, 46, 22, 56 + 20];
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

const footBytesOf = ({ isLarge }: Placed): number => (isLarge ? 24 : 16);

function toDosTime(at: number): readonly [time: number, date: number] {
  const time = new Date(Math.max(at, Date.UTC(1980, 0, 1)));
  const years = Math.min(time.getUTCFullYear() - 1980, 127);
  return [
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
    (years << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
  ];
}

function toLocalHeader({ member, name, isLarge }: Placed): Buffer {
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

const toFoot = ({ member, isLarge }: Placed, crc: number): Buffer => {
  const bytes = isLarge ? 8 : 4;
  return pack([[4, 0x08074b50], [4, crc], [bytes, member.size], [bytes, member.size]]); // biome-ignore format: one record
};

function toDirectoryEntry({ member, name, offset, isLarge }: Placed, crc: number): Buffer {
  const [time, date] = toDosTime(member.modifiedAt);
  const isFar = offset >= most32;
  const large: Field[] = [
    ...(isLarge ? ([[8, member.size], [8, member.size]] as const) : []), // biome-ignore format: one record
    ...(isFar ? ([[8, offset]] as const) : []),
  ];
  const extra = large.length === 0 ? Buffer.alloc(0) : pack([[2, 1], [2, large.length * 8], ...large]); // biome-ignore format: one record
  const needs = isLarge || isFar ? largeNeeds : storedNeeds;
  const size = isLarge ? most32 : member.size;
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

function place(members: readonly ZipMember[]): { placed: Placed[]; directory: Directory } {
  const placed: Placed[] = [];
  let offset = 0;
  let bytes = 0;
  for (const member of members) {
    const isLarge = member.size >= most32;
    const one: Placed = { member, name: Buffer.from(member.name), offset, isLarge };
    placed.push(one);
    const extra = (isLarge ? 16 : 0) + (offset >= most32 ? 8 : 0);
    bytes += directoryBytes + one.name.length + (extra === 0 ? 0 : 4 + extra);
    offset += localBytes + one.name.length + (isLarge ? localExtraBytes : 0) + member.size + footBytesOf(one);
  }
  return { placed, directory: { count: placed.length, offset, bytes } };
}

async function* write(placed: readonly Placed[], directory: Directory): AsyncGenerator<Uint8Array, void, void> {
  const entries: Buffer[] = [];
  for (const one of placed) {
    yield toLocalHeader(one);
    let crc = 0;
    let bytes = 0;
    for await (const block of await one.member.open()) {
      crc = crc32(block, crc);
      bytes += block.length;
      yield block;
    }
    if (bytes !== one.member.size) throw new Error(`${bytes} bytes came where ${one.member.size} were announced`);
    yield toFoot(one, crc);
    entries.push(toDirectoryEntry(one, crc));
  }
  yield* entries;
  yield toEnd(directory);
}

/** What it will be, to the byte; `read` may be called once. */
export function planZip(members: readonly ZipMember[]): { size: number; read: () => AsyncGenerator<Uint8Array> } {
  const { placed, directory } = place(members);
  const end = endBytes + (needsLargeEnd(directory) ? largeEndBytes : 0);
  return { size: directory.offset + directory.bytes + end, read: () => write(placed, directory) };
}
