// Subfolders of a folder, with their numbers of files.
import type { Folder } from '@recordproof/shared/api/files.ts';

type Below = { readonly name: string; readonly path: string; readonly files: number };

export function listBelow(folders: readonly Folder[], at: string): Below[] {
  const start = at === '' ? '' : `${at}/`;
  const counts = new Map<string, number>();
  for (const { path, files } of folders) {
    if (!path.startsWith(start)) continue;
    const [name = ''] = path.slice(start.length).split('/');
    counts.set(name, (counts.get(name) ?? 0) + files);
  }
  return [...counts]
    .map(([name, files]) => ({ name, path: start + name, files }))
    .sort((a, b) => a.name.localeCompare(b.name));
}
