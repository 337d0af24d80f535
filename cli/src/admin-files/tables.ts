// Tables of the files of all users.
import type { AdministeredFile, FileDetails, ProvenanceLink } from '@recordproof/shared/api/admin-files.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { fileRows } from '../files/file-table.ts';
import { nameOfCode } from '../platform/code-names.ts';
import { printable, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { alignRows, below, extra, type Fitting, hash, name, shortHash, tableOf } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';

export const filePages = pagesOf('file', 'files', ['createdAt']);

const statusOf = ({ status }: { readonly status: number }): string => nameOfCode(fileStatus, status);

export const filesTable = tableOf<AdministeredFile>({
  ID: file => file.id,
  OWNER: name(file => file.ownerName),
  VERSION: extra(file => `v${file.version}`),
  STATUS: statusOf,
  RECORD: hash(file => file.fileHash),
  SIZE: file => toSize(file.fileSize),
  CREATED: file => toMinute(file.createdAt),
  DELETED: extra(file => (file.deletedAt === null ? '-' : toMinute(file.deletedAt))),
  NAME: name(file => file.fileName),
});

const linkLines = tableOf<ProvenanceLink>({
  DEPTH: link => String(link.depth),
  ID: link => link.id,
  OWNER: name(link => link.ownerName),
  STATUS: statusOf,
  RECORD: hash(link => link.fileHash),
  CREATED: link => toMinute(link.createdAt),
  NAME: name(link => link.fileName),
});

const titled =
  (title: string, links: readonly ProvenanceLink[]): Fitting =>
  room =>
    links.length === 0 ? '' : `${title}\n${linkLines(links)(room)}`;

export const detailsText = (file: FileDetails): Fitting =>
  below(
    alignRows([...fileRows(file), ...(file.deletedAt === null ? [] : [['deleted', file.deletedAt]])]),
    titled('came from', file.provenance.length > 1 ? file.provenance : []),
    titled(`saved by others (${file.copyCount})`, file.copies),
  );

export const stateNote = (file: AdministeredFile): string =>
  `${file.fileName} of ${file.ownerName} is ${statusWord(file)}`;

const statusWord = ({ status }: AdministeredFile): string => (status === fileStatus.DELETE ? 'deleted' : 'stored');

/** Shown with the question whether this is the intended file. */
export const describeFile = ({ fileName, ownerName, version, fileSize, fileHash }: AdministeredFile): string =>
  `${printable(fileName)} of ${printable(ownerName)}  v${version}  ${toSize(fileSize)}  ${shortHash(fileHash)}`;
