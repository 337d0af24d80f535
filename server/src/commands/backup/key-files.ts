// The key files of an installation, as one value that can be sealed, and back.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createFile } from '../../platform/durable-files.ts';
import { makeFolder } from '../../platform/make-folder.ts';

const mostFiles = 1000;
const largestFile = 2 ** 20;

/** Allowed names of key files; none leads out of the folder. */
const name = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,99}$/);
const keyFiles = z.record(name, z.base64());
export type KeyFiles = z.infer<typeof keyFiles>;

/** Locks, and drafts of a key that is being written or whose writer was killed. */
const isPassing = (file: string): boolean => /\.(tmp|part|lock|lock-journal)$/.test(file);

export async function readKeyFiles(folder: string): Promise<KeyFiles> {
  const names = (await readdir(folder)).filter(file => !isPassing(file)).sort();
  if (names.length > mostFiles) throw new RangeError(`the folder ${folder} contains other files than keys.`);
  const files: KeyFiles = {};
  for (const file of names) {
    const path = join(folder, file);
    const found = await stat(path);
    if (!found.isFile() || found.size > largestFile || !name.safeParse(file).success)
      throw new RangeError(`${path} is not a key file of RecordProof; move it elsewhere.`);
    files[file] = (await readFile(path)).toString('base64');
  }
  return files;
}

/** Durable when it resolves. Existing files are not replaced. */
export async function writeKeyFiles(folder: string, files: KeyFiles): Promise<void> {
  makeFolder(folder);
  for (const [file, content] of Object.entries(files))
    await createFile(join(folder, file), Buffer.from(content, 'base64'), 0o600);
}

export const toKeyBytes = (files: KeyFiles): Buffer => Buffer.from(JSON.stringify(files));

export const parseKeyBytes = (bytes: Buffer): KeyFiles => keyFiles.parse(JSON.parse(bytes.toString('utf8')));
