// Names of proof archives: the name of the file with .proof.zip appended.
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nameEach, toLocalName } from '../files/local-names.ts';
import { Fixable } from '../platform/fixable.ts';

const toArchiveName = (fileName: string): string => toLocalName(`${fileName}.zip`, '.proof');

export const besideFile = (path: string): string => join(dirname(path), toArchiveName(basename(path)));

const isFolder = async (path: string): Promise<boolean> =>
  path.endsWith('/') || (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** The path for each file name, in order: in the output folder, or the one output path. */
export async function toArchivePaths(fileNames: readonly string[], output: string | undefined): Promise<string[]> {
  const isInFolder = output === undefined || (await isFolder(output));
  if (!isInFolder && fileNames.length > 1)
    throw new Fixable('usage', `--output ${output} is one file, but ${fileNames.length} proofs are asked for`, {
      try: 'name a folder, with a / at its end',
    });
  if (!isInFolder) return [output];
  const names = nameEach(fileNames.map(fileName => ({ fileName: toArchiveName(fileName) })));
  return names.map(({ name }) => join(output ?? '.', name));
}
