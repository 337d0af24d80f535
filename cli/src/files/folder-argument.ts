// A folder as people type it: "./" in front and "/" behind do not count, and "/" or "." is the top level.
import { string } from '@oclif/core/args';
import type { Client } from '@recordproof/shared/api/client.ts';
import { type Folder, listFolders } from '@recordproof/shared/api/folders.ts';
import { completedBy } from '../platform/arguments.ts';

export const toFolder = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/^(?:\.?\/+|\.$)+/, '')
    .replace(/\/+$/, '');

export const folderArgument = {
  folder: string({ required: true, description: 'The folder, as a path.', ...completedBy('folders') }),
};

/** All folders below this one, with their totals; in as many calls as needed. */
export async function listAllFolders(client: Client, path: string): Promise<Folder[]> {
  const all: Folder[] = [];
  for (let after: string | undefined; ; after = all.at(-1)?.path) {
    const query = { path, recursive: true, limit: 500, ...(after !== undefined && { after }) };
    const { folders, more } = await client.call(listFolders, { query });
    all.push(...folders);
    if (!more || folders.length === 0) return all;
  }
}
