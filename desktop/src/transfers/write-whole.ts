// A small file that is there whole or not at all.
import { open, rename, rm } from 'node:fs/promises';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';

export async function writeWhole(target: string, body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> {
  const draft = `${target}.${crypto.randomUUID()}.part`;
  try {
    {
      await using file = await open(draft, 'wx');
      let bytes = 0;
      for await (const block of body) {
        bytes += block.length;
        if (bytes > maxBytes) throw new TransferError('wrong-answer', 'the answer is longer than it may be');
        await file.writeFile(block);
      }
      await file.sync();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
