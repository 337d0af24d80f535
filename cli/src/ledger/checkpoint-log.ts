// Append-only log of the signed checkpoints of one server that this machine has seen: one JSON line each.
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { maxNoteBytes } from '@recordproof/shared/evidence/signed-note.ts';
import { CommandError } from '../platform/command-error.ts';
import { ensureFolder, isRecord } from '../platform/private-file.ts';

type LoggedCheckpoint = { readonly seenAt: string; readonly key: string; readonly note: string };

/** Durable when it resolves. */
export async function logCheckpoint(path: string, checkpoint: LoggedCheckpoint): Promise<void> {
  await ensureFolder(dirname(path));
  await using file = await open(path, 'a+', 0o600);
  await cutIncompleteLine(file);
  await file.writeFile(`${JSON.stringify(checkpoint)}\n`);
  await file.sync();
}

/** With the largest note: JSON escapes its line feeds, quotes and backslashes with one more byte each. */
const maxLineBytes = 2 * maxNoteBytes + 64 * 1024;

/** Left by a run that was killed, or by a full disk. */
async function cutIncompleteLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  const start = Math.max(0, size - maxLineBytes);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), { position: start });
  const end = start + buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
  if (end < size) await file.truncate(end);
}

/** From this machine or another source: nothing in it is authentic before its signature is checked. */
export async function readCheckpointLog(path: string): Promise<LoggedCheckpoint[]> {
  const text = await readFile(path, 'utf8').catch(cause => {
    throw new CommandError('config', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  });
  // A last line without its end was being written when the machine stopped.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.filter(line => line !== '').map((line, at) => parseLine(line, `${path}, line ${at + 1}`));
}

function parseLine(line: string, where: string): LoggedCheckpoint {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value)) throw new TypeError('not an object');
    const { seenAt, key, note } = value;
    if (typeof seenAt === 'string' && typeof key === 'string' && typeof note === 'string') return { seenAt, key, note };
  } catch {
    // Any failure is reported below.
  }
  throw new CommandError('config', `${where} is not a checkpoint that ledger watch has written`, {
    try: 'name a file of ledger watch',
  });
}
