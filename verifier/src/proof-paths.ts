// Default paths of proof archives, evidence archives and folder lists next to their originals.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const archiveEnd = '.proof.zip';
const evidenceEnd = '.evidence.zip';

/** The output of `recordproof prove` next to a file. */
export const archiveBeside = (file: string): string => file + archiveEnd;

/** The output of `recordproof prove --one-file` next to a file. */
export const evidenceBeside = (file: string): string => file + evidenceEnd;

/** Whichever of the two exists; the archive if neither does. */
export const proofBeside = (file: string): string =>
  !existsSync(archiveBeside(file)) && existsSync(evidenceBeside(file)) ? evidenceBeside(file) : archiveBeside(file);

/** The output of `recordproof prove --as-one` next to a folder, in addition to its archive. */
export const listBeside = (folder: string): string => `${resolve(folder)}.folder.json`;

/** The original next to an archive. */
export function originalBeside(archive: string): string | undefined {
  const end = [archiveEnd, evidenceEnd].find(end => archive.endsWith(end));
  return end === undefined ? undefined : archive.slice(0, -end.length);
}
