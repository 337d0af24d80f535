// Which file of the tenant an administrator means: as people name files of their own, whosever it is and in whatever state.
import { string } from '@oclif/core/args';
import {
  type AdministeredFile,
  type FileDetails,
  getAnyFile,
  listAllFiles,
} from '@recordproof/shared/api/admin-files.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { many } from '../platform/arguments.ts';
import { Fixable } from '../platform/fixable.ts';
import { printable, toMinute } from '../platform/output.ts';
import { shortHash } from '../platform/table.ts';

const how = 'id, record id (its first 8 digits will do) or name';

export const anyFileArgument = { file: string({ required: true, description: `The file: ${how}.` }) };
export const anyFilesArgument = { files: many({ required: true, description: `The files: ${how}.` }) };

const mostNamed = 5;

const toCandidate = ({ id, fileHash, version, createdAt, fileName, ownerName }: AdministeredFile): string =>
  `${id} (${shortHash(fileHash)}, v${version} of ${toMinute(createdAt)}, ${fileName}, ${ownerName})`;

/** Deleted files are named like others; what is stored comes first. */
async function listCandidates(client: Client, text: string): Promise<AdministeredFile[]> {
  for (const status of [fileStatus.SUCCESS, fileStatus.DELETE, fileStatus.FAIL, fileStatus.PREPARE]) {
    const query = { keyword: text, keywordMode: 'REFERENCE' as const, status, size: 100 };
    const { records } = await client.call(listAllFiles, { query });
    if (records.length > 0) return records;
  }
  return [];
}

export async function findAnyFile(client: Client, text: string): Promise<FileDetails> {
  const open = (hash: string) => client.call(getAnyFile, { params: { hash } });
  if (/^[0-9a-f]{64}$/.test(text)) return open(text);
  const found = text.trim() === '' ? [] : await listCandidates(client, text);
  const [only, ...others] = found;
  if (only === undefined)
    throw new Fixable('refused', `nobody in the tenant has a file "${printable(text)}"`, {
      try: 'recordproof admin files list --keyword <part of the name>',
    });
  // An id is one file's alone, whatever others are called.
  const byId = found.find(file => file.id === text);
  if (byId !== undefined || others.length === 0) return open((byId ?? only).fileHash);
  const named = found.slice(0, mostNamed).map(toCandidate);
  throw new Fixable('usage', `"${printable(text)}" could be any of ${found.length} files`, {
    try: `say which by its id: ${named.join(', ')}${found.length > mostNamed ? ' and more' : ''}`,
  });
}
