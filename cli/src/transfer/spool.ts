// What is piped in has no size and cannot be read twice, so it is first kept in a file that only its owner can read.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureFolder } from '../files/private-file.ts';

export type Spooled = AsyncDisposable & { readonly path: string };

export async function spool(input: AsyncIterable<Uint8Array>, folder: string, signal: AbortSignal): Promise<Spooled> {
  await ensureFolder(folder);
  const path = join(folder, `${crypto.randomUUID()}.piped`);
  const remove = () => rm(path, { force: true });
  try {
    await using file = await open(path, 'wx', 0o600);
    for await (const block of input) {
      signal.throwIfAborted();
      await file.writeFile(block);
    }
    return { path, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
