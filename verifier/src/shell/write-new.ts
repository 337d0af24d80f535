// Writing a document that must not exist yet.
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';

/** Atomic, and never over an existing file. Returns false if it could not be written. */
export const writeNew = (path: string, text: string): Promise<boolean> =>
  writeDurably(path, text, { mode: 0o666, isNew: true }).then(
    () => true,
    () => false,
  );
