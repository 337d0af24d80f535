// Selected or dropped files, with the folder of each.

export type Picked = { readonly file: File; readonly path: string | undefined };

const folderOf = (path: string): string | undefined => {
  const end = path.lastIndexOf('/');
  return end > 0 ? path.slice(0, end) : undefined;
};

export const toPicked = (file: File): Picked => ({ file, path: folderOf(file.webkitRelativePath) });

/** Must be called synchronously in the event handler: browsers clear the entries afterwards. */
export async function listDropped({ items, files }: DataTransfer): Promise<Picked[]> {
  const entries = [...items].flatMap(item => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...files].map(toPicked);
  return (await Promise.all(entries.map(listBelow))).flat();
}

async function listBelow(entry: FileSystemEntry): Promise<Picked[]> {
  if (entry instanceof FileSystemFileEntry) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path: folderOf(entry.fullPath.replace(/^\/+/, '')) }];
  }
  if (!(entry instanceof FileSystemDirectoryEntry)) return [];
  const reader = entry.createReader();
  const below: Picked[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return below;
    for (const one of some) below.push(...(await listBelow(one)));
  }
}
