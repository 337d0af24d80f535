// Atomic output files: complete on disk, or absent.
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import { CommandError } from './command-error.ts';

/** The file appears whole; an existing one is replaced only on request. */
export async function writeWholeFile(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  mayReplace: boolean,
): Promise<void> {
  try {
    await writeDurably(path, content, { mode: 0o666, isNew: !mayReplace });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandError('refused', `${path} exists`, { try: 'add --force to replace it', cause: error });
  }
}
