// How lists of files look, and what the commands around files share.
import type { Page } from '@recordproof/shared/api/common.ts';
import { type File, fileSortFields, toFilePath } from '@recordproof/shared/api/files.ts';
import { toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { type Fitting, hash, name, tableOf } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';

export const filePages = pagesOf('file', 'files', fileSortFields);

export const toFileRows = tableOf<File>({
  ID: file => file.id,
  VERSION: file => `v${file.version}`,
  RECORD: hash(file => file.fileHash),
  SIZE: file => toSize(file.fileSize),
  CREATED: file => toMinute(file.createdAt),
  NAME: name(toFilePath),
});

export const filesTable = ({ records }: Page<File>): Fitting => toFileRows(records);
