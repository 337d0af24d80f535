// How lists of files look, and what the commands around files share.
import type { Page } from '@recordproof/shared/api/common.ts';
import { type File, fileHash, fileSortFields } from '@recordproof/shared/api/files.ts';
import { parseField } from './account.ts';
import { toList, toMinute } from './output.ts';
import { pageFlagsOf, pageNoteOf } from './pages.ts';
import { toSize } from './transfer/units.ts';

export const pageFlags = pageFlagsOf(fileSortFields);

export const filesTable = ({ records }: Page<File>): string => toFileRows(records);

export function toFileRows(records: readonly File[]): string {
  const rows = records.map(({ id, version, fileHash: hash, fileSize, createdAt, fileName }) => [
    id,
    `v${version}`,
    hash,
    toSize(fileSize),
    toMinute(createdAt),
    fileName,
  ]);
  return toList(['ID', 'VERSION', 'FILE HASH', 'SIZE', 'CREATED', 'NAME'], rows);
}

export const pageNote = pageNoteOf('file', 'files');

export const parseFileHash = (text: string): string => parseField('File', fileHash, text);
