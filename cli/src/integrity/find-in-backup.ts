// Search of a folder for bytes that repair damaged chunks: objects as they were in the store, with or without the
// trailer of a disk store, or whole files of the same content. Files are matched by length first, then by the hash of
// their bytes; names do not count.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DamagedChunk, RepairResult } from '@recordproof/shared/api/integrity.ts';

type FoundBytes = {
  readonly chunk: DamagedChunk;
  readonly form: 'stored' | 'plain';
  readonly path: string;
  /** Positions in the file: first byte, and one past the last. */
  readonly start: number;
  readonly end: number;
};

/** The longest trailer that a disk store writes after the bytes of an object. */
const mostBytesBehind = 64;

export async function findInBackup(folder: string, repair: RepairResult): Promise<FoundBytes[]> {
  const found = new Map<number, FoundBytes>();
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (found.size === repair.damaged.length) break;
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size } = await stat(path);
    for (const bytes of await matchFile(path, size, repair))
      if (!found.has(bytes.chunk.index)) found.set(bytes.chunk.index, bytes);
  }
  return [...found.values()].sort((a, b) => a.chunk.index - b.chunk.index);
}

async function matchFile(path: string, size: number, repair: RepairResult): Promise<FoundBytes[]> {
  const { damaged, fileSize, contentHash, chunkSize } = repair;
  if (size === fileSize && (await hashOf(path, 0, size)) === contentHash)
    return damaged.map(chunk => {
      const start = chunk.index * chunkSize;
      return { chunk, form: 'plain', path, start, end: start + chunk.plainSize };
    });
  const found: FoundBytes[] = [];
  for (const [length, chunks] of Map.groupBy(damaged, chunk => chunk.size)) {
    if (size < length || size > length + mostBytesBehind) continue;
    const hash = await hashOf(path, 0, length);
    const chunk = chunks.find(({ cipherHash }) => cipherHash === hash);
    if (chunk !== undefined) found.push({ chunk, form: 'stored', path, start: 0, end: length });
  }
  return found;
}

export const readBytes = ({ path, start, end }: Pick<FoundBytes, 'path' | 'start' | 'end'>) =>
  createReadStream(path, { start, end: end - 1 });

async function hashOf(path: string, start: number, end: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of readBytes({ path, start, end })) hash.update(block as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
