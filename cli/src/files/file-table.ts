// Tables of files.
import { type File, fileSortFields, fileStatus, toFilePath } from '@recordproof/shared/api/files.ts';
import { nameOfCode } from '../platform/code-names.ts';
import { counted, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { hash, name, tableOf } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';

export const filePages = pagesOf('file', 'files', fileSortFields);

export const filesTable = tableOf<File>({
  ID: file => file.id,
  VERSION: file => `v${file.version}`,
  RECORD: hash(file => file.fileHash),
  SIZE: file => toSize(file.fileSize),
  CREATED: file => toMinute(file.createdAt),
  NAME: name(toFilePath),
});

const withoutScheme = (digest: string): string => digest.replace(/^sha256:/, '');

/** All fields of one file. */
export const fileRows = (file: File): string[][] => [
  ['name', file.fileName],
  ...(file.path === null ? [] : [['folder', file.path]]),
  ['id', file.id],
  ['record id', file.fileHash],
  ['SHA-256', withoutScheme(file.contentHash)],
  ['manifest', file.manifestHash === null ? 'none' : withoutScheme(file.manifestHash)],
  ['transaction', file.transactionHash ?? 'none'],
  ['size', `${counted(file.fileSize, 'byte')} (${toSize(file.fileSize)})`],
  ['type', file.contentType],
  ['status', nameOfCode(fileStatus, file.status)],
  ['version', `${file.version}${file.isLatest ? ', the latest' : ''}`],
  ['proof', file.proofStatus],
  ['owner', file.ownerName],
  ['created', file.createdAt],
  ...(file.sharedFromUserName === null ? [] : [['shared by', file.sharedFromUserName]]),
];
