// Small files that are replaced as a whole: a reader, and a power cut, find the old content or the new one.
import { constants } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Durable when it resolves. One writer at a time: the draft beside the file has one name. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.draft`;
  {
    await using file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
    await file.writeFile(content);
    await file.sync();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** What was made or renamed in the folder survives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}
