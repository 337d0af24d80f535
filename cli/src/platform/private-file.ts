// Private files: small, readable and writable by their owner only. Files that others could have read or written, or that are
// too big, are errors. A write is durable when it resolves; other runs see the old file or the new one.
import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import { CommandError } from './command-error.ts';

const maxBytes = 1024 * 1024;
const hasModes = process.platform !== 'win32';
const isOurs = (uid: number): boolean => [uid, 0].includes(process.getuid?.() ?? uid);

/** `readers` describes a content that others must not read (a secret), `writers` one that others must not change. */
type Keep = 'readers' | 'writers';

function assertPrivate(path: string, found: { mode: number; uid: number }, keep: Keep, fix: string): void {
  if (!hasModes) return;
  if (!isOurs(found.uid)) {
    throw new CommandError('config', `${path} belongs to another user, so it is not used`, {
      try: `delete it, or change its owner: sudo chown $USER ${path}`,
    });
  }
  const forbidden = keep === 'readers' ? 0o077 : 0o022;
  if ((found.mode & forbidden) === 0) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  const danger = keep === 'readers' ? 'read or change' : 'change';
  throw new CommandError('config', `other users can ${danger} ${path} (mode ${mode}), so it is not used`, { try: fix });
}

async function assertFolder(folder: string): Promise<void> {
  assertPrivate(folder, await stat(folder), 'writers', `chmod 700 ${folder}`);
}

const isMissing = (error: unknown): boolean => (error as { code?: string }).code === 'ENOENT';

const unusable = (path: string, cause: unknown): CommandError =>
  new CommandError('config', `${path} cannot be used: ${(cause as Error).message}`, {
    try: 'check who owns it and whether the disk is full',
    cause,
  });

const asFixable = (path: string, error: unknown): unknown =>
  error instanceof CommandError || (error as { code?: string }).code === undefined ? error : unusable(path, error);

/** The text of the file, or undefined when there is none. */
export async function readPrivate(path: string, keep: Keep): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await file.stat();
    await assertFolder(dirname(path));
    assertPrivate(path, found, keep, `chmod 600 ${path}`);
    if (!found.isFile())
      throw new CommandError('config', `${path} is not a regular file, so it is not used`, { try: 'move it away' });
    if (found.size > maxBytes)
      throw new CommandError('config', `${path} has ${found.size} bytes, more than the limit of ${maxBytes}`, {
        try: 'move it away, and start over',
      });
    return await file.readFile('utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw asFixable(path, error);
  }
}

export async function ensureFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await assertFolder(folder);
  } catch (error) {
    throw asFixable(folder, error);
  }
}

/** Removes files that were not written for so long: remains of killed runs. */
export async function removeOld(folder: string, keptMs: number, extension = ''): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = name.endsWith(extension) ? await stat(path).catch(() => undefined) : undefined;
    if (found && found.mtimeMs < Date.now() - keptMs) await rm(path, { force: true });
  }
}

/** The callers hold a lock: there is one writer at a time. */
export async function writePrivate(path: string, text: string): Promise<void> {
  await ensureFolder(dirname(path));
  try {
    await writeDurably(path, text, { draft: `${path}.draft` });
  } catch (error) {
    throw asFixable(path, error);
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Errors name the file and never repeat its content. */
export function parseJsonFile(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandError('config', `${path} is not valid JSON`, {
      try: 'repair it in an editor, or delete it to start over',
    });
  }
  if (isRecord(value)) return value;
  throw new CommandError('config', `${path} must hold one JSON object`, { try: 'delete it to start over' });
}
