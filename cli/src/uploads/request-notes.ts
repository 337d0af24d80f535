// The requestId of a call with many files, written down before the first attempt, so that the same command after a crash
// repeats it and nothing is stored twice.
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import { ensureFolder, removeOld } from '../platform/private-file.ts';

const extension = '.bulk';
/** A server remembers an id for a day. */
const keptMs = 23 * 3600_000;

type Noted = { readonly requestId: string; forget(): Promise<void> };

/** `about`: everything that identifies a call. */
export async function noteRequest(folder: string, about: unknown): Promise<Noted> {
  await ensureFolder(folder);
  const digest = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32);
  const path = join(folder, digest + extension);
  const requestId = (await findId(path)) ?? (await writeId(path));
  return { requestId, forget: () => rm(path, { force: true }) };
}

const isOld = async (path: string): Promise<boolean> =>
  ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0) < Date.now() - keptMs;

async function findId(path: string): Promise<string | undefined> {
  if (await isOld(path)) return undefined;
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^[0-9a-f-]{36}$/.test(text) ? text : undefined;
}

async function writeId(path: string): Promise<string> {
  const id = randomUUID();
  await writeDurably(path, id);
  return id;
}

/** Removes abandoned ones. */
export async function sweepNotes(folder: string): Promise<void> {
  await ensureFolder(folder);
  await removeOld(folder, keptMs, extension);
}
