// The check for an archive that exists already at the output path, before the file is stored; the error says what the archive
// proves.
import { lstat, readFile } from 'node:fs/promises';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { toProofArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { hashFile } from '../files/hash-file.ts';
import { CommandError } from '../platform/command-error.ts';

export const isThere = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined)) !== undefined;

export async function rejectExisting(archive: string, file: string): Promise<void> {
  if (!(await isThere(archive))) return;
  const hash = await readHash(archive);
  if (hash === undefined) throw new CommandError('refused', `${archive} exists`, { try: 'add --force to replace it' });
  if (hash === `sha256:${await hashFile(file)}\n`)
    throw new CommandError('refused', `${archive} exists, and is the proof of this very content`, {
      try: `recordproof verify ${file}, or add --force to store and prove it once more`,
    });
  throw new CommandError('refused', `${archive} exists, and is the proof of other content than ${file} has now`, {
    try: 'keep that archive elsewhere, or add --force to replace it',
  });
}

async function readHash(archive: string): Promise<string | undefined> {
  try {
    return parseUtf8(readProofArchive(toProofArchive(await readFile(archive)))['file.hash']);
  } catch {
    return undefined;
  }
}
