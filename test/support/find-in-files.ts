// Search of all files of a folder for a text.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files below a folder that contain these bytes. A file that is deleted or renamed meanwhile counts as empty. */
export async function findInFiles(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(unlessMissing);
    if (bytes?.includes(text)) found.push(path);
  }
  return found;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
