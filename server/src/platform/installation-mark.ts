// Installation id in the key folder and in the object store (decision 0290). The key folder's mark also names the
// database, so that a command with wrong settings can report it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createFile, errnoOf, replaceFile } from './durable-files.ts';
import { InstallationError } from './installation.ts';
import { makeFolder } from './make-folder.ts';
import { findJson } from './objects/find-json.ts';
import { type ObjectStore, ObjectStoreError } from './objects/object-store.ts';

const id = z.uuid();
const format = z.literal('recordproof-installation');
const formatVersion = z.literal(1);

const keysMark = z.strictObject({
  format,
  formatVersion,
  id,
  /** False until the first start has written the id to the database and the object store. */
  isBound: z.boolean(),
  /** Without user and password. */
  database: z.string().max(4000),
});
export type KeysMark = Pick<z.infer<typeof keysMark>, 'id' | 'isBound' | 'database'>;

const storeMark = z.strictObject({ format, formatVersion, id });

const header = { format: format.value, formatVersion: formatVersion.value };
const toBytes = (mark: object): Buffer => Buffer.from(`${JSON.stringify({ ...header, ...mark }, null, 2)}\n`);

const markFile = 'installation.json';

/** Files that exist only in a used folder. */
const isKeyFile = (name: string): boolean =>
  /\.(key|pem)$/.test(name) || name === 'master-keys.json' || name === markFile;

export const hasKeyFiles = (folder: string): boolean => existsSync(folder) && readdirSync(folder).some(isKeyFile);

export function readKeysMark(folder: string): KeysMark | null {
  const path = join(folder, markFile);
  try {
    return keysMark.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw new InstallationError(
        `the file ${path} is damaged; restore it from a backup, or copy it from another server of this installation.`,
      );
    throw error;
  }
}

/** Durable when it resolves. */
export async function writeKeysMark(folder: string, mark: KeysMark): Promise<void> {
  makeFolder(folder);
  await replaceFile(join(folder, markFile), toBytes(mark), 0o600);
}

/** Like `writeKeysMark`, unless there is a mark; returns the existing one. */
export async function createKeysMark(folder: string, mark: KeysMark): Promise<KeysMark> {
  makeFolder(folder);
  await createFile(join(folder, markFile), toBytes(mark), 0o600).catch(error => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
  return readKeysMark(folder) ?? mark;
}

const largestMark = 4096;

/** Null if there is no readable mark. */
export async function readStoreMark(objects: Pick<ObjectStore, 'get'>, key: string): Promise<string | null> {
  return (await findJson(objects, key, { schema: storeMark, maxBytes: largestMark }))?.id ?? null;
}

/** Replaces an unreadable mark; throws on the mark of another installation. Durable when it resolves. */
export async function ensureStoreMark(
  objects: Pick<ObjectStore, 'get' | 'create' | 'put'>,
  key: string,
  installation: string,
): Promise<void> {
  const bytes = toBytes({ id: installation });
  try {
    await objects.create(key, [bytes], { size: bytes.length });
  } catch (error) {
    if (!(error instanceof ObjectStoreError && error.kind === 'EXISTS')) throw error;
    const there = await readStoreMark(objects, key);
    if (there === null) await objects.put(key, [bytes], { size: bytes.length });
    else if (there !== installation)
      throw new InstallationError(
        `the object store belongs to the installation ${there}, and this one is ${installation}; configure another store.`,
      );
  }
}
