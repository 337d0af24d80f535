// Documents that must not exist yet.
import { existsSync } from 'node:fs';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';

/** Before a large file is read; `writeNew` checks again. */
export function expectNew(option: string, path: string): void {
  if (existsSync(path)) throw new UsageError(`--${option} names a file that already exists; choose another name`);
}

/** Atomic, and never over an existing file. Returns false if it could not be written. */
export const writeNew = (path: string, text: string): Promise<boolean> =>
  writeDurably(path, text, { mode: 0o666, isNew: true }).then(
    () => true,
    () => false,
  );
