// Names of the files stored next to an original: its proof archive, <name>.proof.zip, or its evidence archive,
// <name>.evidence.zip, and the vouchers for its time.
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { toVoucherName, type VoucherName, voucherNames } from '@recordproof/shared/evidence/evidence-archive.ts';
import { nameEach, toLocalName } from '../files/local-names.ts';
import { CommandError } from '../platform/command-error.ts';

/** Of a proof archive alone, or packed with its vouchers. */
export type ArchiveForm = 'proof' | 'evidence';

const toArchiveName = (fileName: string, form: ArchiveForm): string => toLocalName(`${fileName}.zip`, `.${form}`);

export const besideFile = (path: string, form: ArchiveForm = 'proof'): string =>
  join(dirname(path), toArchiveName(basename(path), form));

/** Beside an archive, under the name of its original. */
export function voucherBeside(archive: string, voucher: VoucherName): string {
  const name = toVoucherName(basename(archive), voucher);
  return join(dirname(archive), Buffer.byteLength(name) > 255 ? toLocalName(name) : name);
}

/** All files that a proof of this file may have written next to it. */
export const listBeside = (path: string): string[] => [
  ...(['proof', 'evidence'] as const).map(form => besideFile(path, form)),
  ...voucherNames.map(voucher => voucherBeside(besideFile(path), voucher)),
];

const isFolder = async (path: string): Promise<boolean> =>
  path.endsWith('/') || (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** The path for each file name, in order: in the output folder, or the one output path. */
export async function toArchivePaths(
  fileNames: readonly string[],
  output: string | undefined,
  form: ArchiveForm,
): Promise<string[]> {
  const isInFolder = output === undefined || (await isFolder(output));
  if (!isInFolder && fileNames.length > 1)
    throw new CommandError('usage', `--output ${output} is one file, but ${fileNames.length} proofs are asked for`, {
      try: 'name a folder, with a / at its end',
    });
  if (!isInFolder) return [output];
  const names = nameEach(fileNames.map(fileName => ({ fileName: toArchiveName(fileName, form) })));
  return names.map(({ name }) => join(output ?? '.', name));
}
