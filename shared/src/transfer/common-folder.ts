// Folder of an upload of several files.

/** The deepest folder common to all. */
export function commonFolder(folders: readonly (string | null)[]): string | null {
  const [first = [], ...others] = folders.map(folder => folder?.split('/') ?? []);
  const end = first.findIndex((part, at) => others.some(parts => parts[at] !== part));
  const common = end < 0 ? first : first.slice(0, end);
  return common.length === 0 ? null : common.join('/');
}
