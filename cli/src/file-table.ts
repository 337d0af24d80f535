// How lists of files look, and what the commands around files share.
import { string } from '@oclif/core/flags';
import { type File, fileHash, fileSortFields } from '@recordproof/shared/api/files.ts';
import { parseField } from './account.ts';
import { Fixable } from './fixable.ts';
import { toTable } from './output.ts';
import { toSize } from './transfer/units.ts';

export const pageFlags = {
  page: string({ helpValue: '<n>', default: '1', summary: 'Which page, from 1 on.' }),
  size: string({ helpValue: '<n>', default: '20', summary: 'How many on a page, at most 100.' }),
  sort: string({ helpValue: '<field>', summary: `${fileSortFields.join(', ')}; then ,asc or ,desc.` }),
};

/** The server checks the values; what is no number at all is said here. */
export function toPageQuery(flags: { page: string; size: string; sort?: string | undefined }) {
  for (const name of ['page', 'size'] as const) {
    if (!/^[0-9]{1,10}$/.test(flags[name])) throw new Fixable('usage', `--${name} must be a number`);
  }
  return { page: Number(flags.page), size: Number(flags.size), ...(flags.sort !== undefined && { sort: flags.sort }) };
}

type FilePage = {
  readonly records: readonly File[];
  readonly total: number;
  readonly current: number;
  readonly pages: number;
};

export function filesTable({ records }: FilePage): string {
  if (records.length === 0) return '';
  const rows = records.map(({ id, version, fileHash: hash, fileSize, createdAt, fileName }) => [
    id,
    `v${version}`,
    hash,
    toSize(fileSize),
    createdAt.slice(0, 16).replace('T', ' '),
    fileName,
  ]);
  return toTable([['ID', 'VERSION', 'FILE HASH', 'SIZE', 'CREATED', 'NAME'], ...rows]);
}

export const pageNote = ({ total, current, pages }: FilePage): string =>
  total === 0 ? 'no files' : `page ${current} of ${pages}, ${total} ${total === 1 ? 'file' : 'files'}`;

export const parseFileHash = (text: string): string => parseField('File', fileHash, text);
