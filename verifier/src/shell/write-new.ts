// Writes a document that must not exist yet.
import { open, rm } from 'node:fs/promises';

/** Atomic, and never over an existing file. Returns false if it could not be written. */
export async function writeNew(path: string, text: string): Promise<boolean> {
  const handle = await open(path, 'wx').catch(() => undefined);
  if (handle === undefined) return false;
  try {
    await handle.writeFile(text);
    await handle.sync();
    return true;
  } catch {
    await rm(path, { force: true });
    return false;
  } finally {
    await handle.close();
  }
}
