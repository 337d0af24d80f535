// Spooling of standard input: it has no size and cannot be read twice, so it is first written to a private file.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import { ensureFolder, removeOld } from './private-file.ts';

const keptMs = 48 * 3600_000;

/** Creates the folder; remains of killed runs are removed after two days. */
export async function openSpoolFolder(folder: string): Promise<void> {
  await ensureFolder(folder);
  await removeOld(folder, keptMs);
}

type Spooled = AsyncDisposable & { readonly path: string };

export async function spool(input: Readable, folder: string, signal: AbortSignal): Promise<Spooled> {
  await openSpoolFolder(folder);
  const path = join(folder, `${crypto.randomUUID()}.piped`);
  const remove = () => rm(path, { force: true });
  try {
    await using file = await open(path, 'wx', 0o600);
    let isEmpty = true;
    for await (const block of addAbortSignal(signal, input) as AsyncIterable<Buffer>) {
      await file.writeFile(block);
      isEmpty &&= block.length === 0;
    }
    if (isEmpty) throw new TransferError('source-empty', 'nothing was piped in; an empty file proves nothing');
    return { path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    signal.throwIfAborted();
    throw error;
  }
}
