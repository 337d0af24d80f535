// Archives that are almost right. Each is refused for its form alone, although its content is honest.
import { deflateRawSync } from 'node:zlib';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import type { ZipChanges } from '../../support/zip.ts';
import { type Case, plainProof, toEntries, zip } from './case.ts';

const entries = toEntries(plainProof);
const list = [...entries].map(([name, data]) => ({ name, data }));
const good = zip(entries);
const only = (wanted: number, fields: Record<string, number>) => (index: number) => (index === wanted ? fields : {});
const bytesAt = (wanted: number, bytes: Uint8Array) => (index: number) =>
  index === wanted ? bytes : new Uint8Array(0);
const named = (wanted: number, name: string) =>
  zip(list.map((entry, at) => (at === wanted ? { ...entry, name } : entry)));
const zip64Extra = Uint8Array.from([1, 0, 16, 0, ...new Uint8Array(16)]);

function bad(name: string, why: string, archive: Uint8Array, code: string): Case {
  const expected = { outcome: 'ERROR', check: 'archive.structure', code } as const;
  return { name: `zip-${name}`, why, archive, expected };
}

const altered = (name: string, why: string, changes: ZipChanges, code: string) =>
  bad(name, why, zip(entries, changes), code);

const bytesAround: Case[] = [
  altered('leading-byte', 'One byte before the first entry.', { before: Uint8Array.of(0) }, 'ARCHIVE_ENTRY_HEADER'),
  altered(
    'leading-program',
    'A program stub before the archive.',
    { before: new Uint8Array(512).fill(0x90) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  altered('trailing-byte', 'One byte behind the end record.', { after: Uint8Array.of(0) }, 'ARCHIVE_TRAILING_BYTES'),
  bad(
    'two-archives',
    'Two archives one after the other: tools disagree on which counts.',
    Uint8Array.from([...good, ...good]),
    'ARCHIVE_TRAILING_BYTES',
  ),
  altered('comment', 'An archive comment.', { comment: toUtf8('VALID') }, 'ARCHIVE_END_RECORD'),
  altered(
    'gap-between-entries',
    'Unused bytes between two entries.',
    { gapAfter: bytesAt(2, new Uint8Array(16)) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  altered(
    'gap-before-directory',
    'Unused bytes before the directory.',
    { gapAfter: bytesAt(7, new Uint8Array(16)) },
    'ARCHIVE_DIRECTORY',
  ),
  bad('cut-by-one', 'The last byte is missing.', good.slice(0, -1), 'ARCHIVE_TRUNCATED'),
  bad('cut-in-half', 'The second half is missing.', good.slice(0, good.length / 2), 'ARCHIVE_TRUNCATED'),
  bad('empty', 'Nothing at all.', new Uint8Array(0), 'ARCHIVE_TRUNCATED'),
  bad('not-a-zip', 'A text file.', toUtf8('This proof is valid. '.repeat(10)), 'ARCHIVE_ENTRY_HEADER'),
  bad(
    'no-directory',
    'Entries without directory and end record.',
    good.slice(0, good.lastIndexOf(0x50, good.length - 23) - 600),
    'ARCHIVE_TRUNCATED',
  ),
  bad(
    'inside-another',
    'The archive wrapped in an archive.',
    zip([{ name: 'proof.zip', data: good }]),
    'ARCHIVE_ENTRY_HEADER',
  ),
];

const localHeaders: Case[] = [
  altered(
    'method-deflate-claimed',
    'Stored bytes that claim to be compressed.',
    { local: only(2, { method: 8 }), directory: only(2, { method: 8 }) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  bad('really-deflated', 'One entry is compressed.', deflated(), 'ARCHIVE_ENTRY_HEADER'),
  altered(
    'encrypted-flag',
    'An entry marked as encrypted.',
    { local: only(1, { flags: 0x0801 }) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  altered(
    'descriptor-flag',
    'An entry whose sizes follow its data.',
    { local: only(1, { flags: 0x0808 }) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  altered(
    'no-utf8-flag',
    'Names in an unnamed character set.',
    { local: () => ({ flags: 0 }), directory: () => ({ flags: 0 }) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  altered('version-needed-45', 'ZIP64 is asked for.', { local: only(0, { needed: 45 }) }, 'ARCHIVE_ENTRY_HEADER'),
  altered('time-set', 'A time of day.', { local: only(3, { time: 1 }) }, 'ARCHIVE_ENTRY_HEADER'),
  altered('date-set', 'Another date.', { local: only(3, { date: 0x5921 }) }, 'ARCHIVE_ENTRY_HEADER'),
  altered(
    'local-checksum',
    'The checksum of an entry differs from its bytes and from the directory.',
    { local: only(4, { crc: 1 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'checksum',
    'The checksum of an entry is wrong in both places.',
    { local: only(4, { crc: 1 }), directory: only(4, { crc: 1 }) },
    'ARCHIVE_ENTRY_CHECKSUM',
  ),
  altered(
    'local-size-larger',
    'An entry reaches into the next one.',
    { local: only(2, { size: 5000, stored: 5000 }) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  altered(
    'local-size-smaller',
    'An entry ends before its last byte.',
    { local: only(2, { size: 5, stored: 5 }) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  altered('two-sizes', 'Stored size and size differ.', { local: only(2, { size: 5 }) }, 'ARCHIVE_ENTRY_HEADER'),
  altered(
    'size-zip64-marker',
    'The size that means "look elsewhere".',
    { local: only(0, { size: 0xffffffff, stored: 0xffffffff }) },
    'ARCHIVE_ENTRY_TOO_LARGE',
  ),
  altered(
    'size-over-limit',
    'An entry of 8 MiB and one byte.',
    { local: only(7, { size: 8388609, stored: 8388609 }) },
    'ARCHIVE_ENTRY_TOO_LARGE',
  ),
  altered(
    'stored-size-over-limit',
    'Only the first size, the stored one, is over the limit: that one counts.',
    { local: only(7, { stored: 8388609 }) },
    'ARCHIVE_ENTRY_TOO_LARGE',
  ),
  altered(
    'second-size-over-limit',
    'Only the second size is over the limit: it differs from the first.',
    { local: only(7, { size: 8388609 }) },
    'ARCHIVE_ENTRY_HEADER',
  ),
  altered(
    'size-beyond-end',
    'An entry that ends outside the archive.',
    { local: only(7, { size: 999999, stored: 999999 }) },
    'ARCHIVE_TRUNCATED',
  ),
  altered(
    'local-extra-field',
    'An extra field in a local header.',
    { local: only(0, { extraLength: 20 }), localExtra: bytesAt(0, zip64Extra) },
    'ARCHIVE_ENTRY_HEADER',
  ),
];

const directoryHeaders: Case[] = [
  altered(
    'directory-method',
    'The directory says compressed, the entry says stored.',
    { directory: only(2, { method: 8 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'directory-checksum',
    'The directory has another checksum.',
    { directory: only(2, { crc: 1 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'directory-size',
    'The directory has another size.',
    { directory: only(2, { size: 5 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'directory-extra-field',
    'An extra field in the directory.',
    { directory: only(0, { extraLength: 20 }), directoryExtra: bytesAt(0, zip64Extra) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'entry-comment',
    'A comment on an entry.',
    { directory: only(0, { commentLength: 2 }), directoryExtra: bytesAt(0, toUtf8('ok')) },
    'ARCHIVE_DIRECTORY',
  ),
  altered('made-by-dos', 'Made on another system.', { directory: () => ({ madeBy: 20 }) }, 'ARCHIVE_DIRECTORY'),
  altered(
    'symbolic-link',
    'An entry that is a symbolic link.',
    { directory: only(1, { external: 0xa1ff0000 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'folder',
    'An entry that is a folder.',
    { directory: only(1, { external: 0x41ed0010 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'executable',
    'An entry that may be executed.',
    { directory: only(7, { external: 0x81ed0000 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'internal-attribute',
    'An entry marked as text.',
    { directory: only(1, { internal: 1 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered('other-disk', 'An entry on another disk.', { directory: only(1, { disk: 1 }) }, 'ARCHIVE_DIRECTORY'),
  altered(
    'overlap',
    'Two directory entries point at one place.',
    { directory: only(1, { offset: 0 }) },
    'ARCHIVE_DIRECTORY',
  ),
  altered(
    'offset-outside',
    'A directory entry points outside.',
    { directory: only(1, { offset: 0xffffffff }) },
    'ARCHIVE_DIRECTORY',
  ),
];

const names: Case[] = [
  bad('entries-reordered', 'The same entries in another order.', zip([...list].reverse()), 'ARCHIVE_ENTRY_HEADER'),
  bad('entry-missing', 'Seven entries.', zip(list.slice(0, 7)), 'ARCHIVE_ENTRY_HEADER'),
  bad('ninth-entry', 'A ninth entry.', zip([...list, { name: 'extra.txt', data: toUtf8('x') }]), 'ARCHIVE_DIRECTORY'),
  bad(
    'entry-twice',
    'manifest.json twice: tools disagree on which counts.',
    zip([list[0] ?? { name: '', data: good }, ...list]),
    'ARCHIVE_ENTRY_HEADER',
  ),
  bad('name-traversal', 'A name that climbs out of the folder.', named(1, '../f.hash'), 'ARCHIVE_ENTRY_NAME'),
  bad('name-absolute', 'An absolute name.', named(1, '/ile.hash'), 'ARCHIVE_ENTRY_NAME'),
  bad('name-backslash', 'A name with a backslash.', named(1, 'a\\le.hash'), 'ARCHIVE_ENTRY_NAME'),
  bad('name-upper-case', 'A name that differs in case.', named(1, 'FILE.HASH'), 'ARCHIVE_ENTRY_NAME'),
  bad('name-in-folder', 'An entry inside a folder.', named(1, 'x/file.hash'), 'ARCHIVE_ENTRY_HEADER'),
  bad('name-with-nul', 'A name with a NUL byte.', named(1, 'file.has\0'), 'ARCHIVE_ENTRY_NAME'),
  bad('names-differ', 'Local header and directory give different names.', renamedInDirectory(), 'ARCHIVE_DIRECTORY'),
];

const endRecords: Case[] = [
  altered(
    'end-count',
    'The end record counts seven entries.',
    { end: { entries: 7, entriesHere: 7 } },
    'ARCHIVE_END_RECORD',
  ),
  altered(
    'end-two-counts',
    'The end record counts twice and differently.',
    { end: { entriesHere: 7 } },
    'ARCHIVE_END_RECORD',
  ),
  altered(
    'end-directory-size',
    'The directory has another size than the end record says.',
    { end: { directorySize: 1 } },
    'ARCHIVE_END_RECORD',
  ),
  altered(
    'end-directory-offset',
    'The directory stands elsewhere than the end record says.',
    { end: { directoryOffset: 0 } },
    'ARCHIVE_END_RECORD',
  ),
  altered(
    'end-zip64-marker',
    'The offset that means "look for ZIP64".',
    { end: { directoryOffset: 0xffffffff } },
    'ARCHIVE_END_RECORD',
  ),
  altered('end-disk', 'The end of another disk.', { end: { disk: 1 } }, 'ARCHIVE_END_RECORD'),
  altered(
    'end-signature',
    'No end record where it should be.',
    { end: { signature: 0x06064b50 } },
    'ARCHIVE_END_RECORD',
  ),
];

function deflated(): Uint8Array {
  const readme = list[7] ?? { name: '', data: good };
  const data = deflateRawSync(readme.data);
  const fields = { method: 8, size: readme.data.length, stored: data.length };
  return zip([...list.slice(0, 7), { name: readme.name, data }], {
    local: only(7, fields),
    directory: only(7, fields),
  });
}

function renamedInDirectory(): Uint8Array {
  const archive = Buffer.from(good);
  archive.write('FILE.hash', archive.lastIndexOf('file.hash'));
  return new Uint8Array(archive);
}

export const zipCases: readonly Case[] = [
  ...bytesAround,
  ...localHeaders,
  ...directoryHeaders,
  ...names,
  ...endRecords,
];
