// Lookup of the stored file that an argument names: an id, a record id or its beginning, or a name that is unique among
// the account's files, with or without its folder. An ambiguous argument is an error that lists all matches.
import { string } from '@oclif/core/args';
import type { Client } from '@recordproof/shared/api/client.ts';
import { type File, folderPath, getFile, searchFiles, toFilePath } from '@recordproof/shared/api/files.ts';
import { completedBy, many } from '../platform/arguments.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable, toMinute } from '../platform/output.ts';
import { shortHash } from '../platform/table.ts';

const how = 'id, record id (its first 8 digits will do), name, or path (/name at the top level)';

export const fileArgument = {
  file: string({ required: true, description: `The file: ${how}.`, ...completedBy('files') }),
};
export const filesArgument = {
  files: many({ required: true, description: `The files: ${how}.`, ...completedBy('files') }),
};

export const anyFilesArgument = { files: many({ description: `The files: ${how}.`, ...completedBy('files') }) };

const isWholeHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const mostNamed = 5;

const toCandidate = (file: File): string =>
  `${file.id} (${shortHash(file.fileHash)}, v${file.version} of ${toMinute(file.createdAt)}, ${toFilePath(file)})`;

function ambiguous(text: string, found: readonly File[], total: number): CommandError {
  const named = found.slice(0, mostNamed).map(toCandidate);
  const more = total > named.length ? [`${total - named.length} more`] : [];
  return new CommandError('usage', `"${printable(text)}" could be any of ${total} files`, {
    try: `say which by its id: ${[...named, ...more].join(', ')}`,
  });
}

type FileMatches = { readonly records: readonly File[]; readonly total: number };
const nothing: FileMatches = { records: [], total: 0 };

/** Files in all folders. */
async function findNamed(client: Client, keyword: string): Promise<FileMatches> {
  if (keyword.trim() === '') return nothing;
  return client.call(searchFiles, { query: { keyword, keywordMode: 'REFERENCE', size: 100 } });
}

/** Files in this folder alone, by name alone. */
async function findIn(client: Client, text: string, keyword: string): Promise<FileMatches> {
  const folder = text === '' ? text : folderPath.safeParse(text.normalize('NFC')).data;
  if (folder === undefined || keyword.trim() === '') return nothing;
  const query = { keyword, keywordMode: 'REFERENCE', folder, size: 100 } as const;
  const found = (await client.call(searchFiles, { query })).records;
  const isCalledSo = ({ fileName }: File): boolean => fileName.toLowerCase() === keyword.normalize('NFC').toLowerCase();
  const records = found.filter(isCalledSo);
  return { records, total: records.length };
}

export async function findFile(client: Client, text: string): Promise<File> {
  if (isWholeHash(text)) return client.call(getFile, { params: { hash: text } });
  const [, top, folder = top && '', keyword = ''] = /^(?:\.\/+)*(\/)?(?:(.*)\/)?([^/]*)$/su.exec(text) ?? [];
  const found = folder === undefined ? findNamed(client, keyword) : findIn(client, folder, keyword);
  const { records, total } = await found;
  const [only, ...others] = records;
  if (only === undefined)
    throw new CommandError('refused', `you have no file "${printable(text)}"`, {
      try: `recordproof files search ${/^[\w.-]+$/.test(keyword) ? keyword : '<part of the name>'}`,
    });
  // An id belongs to one file, whatever the names of others.
  const byId = records.find(file => file.id === text);
  if (byId === undefined && others.length > 0) throw ambiguous(text, records, total);
  return byId ?? only;
}

export const findFileHash = async (client: Client, text: string): Promise<string> =>
  isWholeHash(text) ? text : (await findFile(client, text)).fileHash;

/** Each once, in the order of the arguments. */
export async function findFileHashes(client: Client, texts: readonly string[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const text of texts) hashes.push(await findFileHash(client, text));
  return [...new Set(hashes)];
}

export const findFileId = async (client: Client, text: string): Promise<string> =>
  /^[1-9][0-9]{0,14}$/.test(text) ? text : (await findFile(client, text)).id;

const leastPrefix = 8;

/** Whether a file of a list is the one that was named. */
export const isNamed = (
  { fileName, fileHash }: { readonly fileName: string; readonly fileHash: string },
  name: string,
): boolean => fileName === name || (name.length >= leastPrefix && fileHash.startsWith(name));
