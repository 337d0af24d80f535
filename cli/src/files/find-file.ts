// Which stored file somebody means: by its id, its record id or the beginning of it, or its name where no other file of
// theirs is called so. Nothing is guessed: what could be several is answered with all of them.
import { string } from '@oclif/core/args';
import type { Client } from '@recordproof/shared/api/client.ts';
import { type File, getFile, searchFiles } from '@recordproof/shared/api/files.ts';
import { many } from '../platform/arguments.ts';
import { completedBy } from '../platform/completable.ts';
import { Fixable } from '../platform/fixable.ts';
import { printable, toMinute } from '../platform/output.ts';
import { shortHash } from '../platform/table.ts';

const how = 'id, record id (its first 8 digits will do) or name';

export const fileArgument = {
  file: string({ required: true, description: `The file: ${how}.`, ...completedBy('files') }),
};
export const filesArgument = {
  files: many({ required: true, description: `The files: ${how}.`, ...completedBy('files') }),
};

/** Where something else can be named instead. */
export const anyFilesArgument = { files: many({ description: `The files: ${how}.`, ...completedBy('files') }) };

const isWholeHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const mostNamed = 5;

const toCandidate = ({ id, fileHash, version, createdAt, fileName }: File): string =>
  `${id} (${shortHash(fileHash)}, v${version} of ${toMinute(createdAt)}, ${fileName})`;

function ambiguous(text: string, found: readonly File[], total: number): Fixable {
  const named = found.slice(0, mostNamed).map(toCandidate);
  const more = total > named.length ? [`${total - named.length} more`] : [];
  return new Fixable('usage', `"${printable(text)}" could be any of ${total} files`, {
    try: `say which by its id: ${[...named, ...more].join(', ')}`,
  });
}

export async function findFile(client: Client, text: string): Promise<File> {
  if (isWholeHash(text)) return client.call(getFile, { params: { hash: text } });
  const query = { keyword: text, keywordMode: 'REFERENCE' as const, size: 100 };
  const { records, total } = text.trim() === '' ? { records: [], total: 0 } : await client.call(searchFiles, { query });
  const [only, ...others] = records;
  if (only === undefined)
    throw new Fixable('refused', `you have no file "${printable(text)}"`, {
      try: `recordproof files search ${/^[\w.-]+$/.test(text) ? text : '<part of the name>'}`,
    });
  // An id is one file's alone, whatever others are called.
  const byId = records.find(file => file.id === text);
  if (byId === undefined && others.length > 0) throw ambiguous(text, records, total);
  return byId ?? only;
}

export const findFileHash = async (client: Client, text: string): Promise<string> =>
  isWholeHash(text) ? text : (await findFile(client, text)).fileHash;

/** Each once, in the order in which they were named. */
export async function findFileHashes(client: Client, texts: readonly string[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const text of texts) hashes.push(await findFileHash(client, text));
  return [...new Set(hashes)];
}

export const findFileId = async (client: Client, text: string): Promise<string> =>
  /^[1-9][0-9]{0,14}$/.test(text) ? text : (await findFile(client, text)).id;

const leastPrefix = 8;

/** Whether a file that is shown in a list is the one that was named there. */
export const isNamed = (
  { fileName, fileHash }: { readonly fileName: string; readonly fileHash: string },
  name: string,
): boolean => fileName === name || (name.length >= leastPrefix && fileHash.startsWith(name));
