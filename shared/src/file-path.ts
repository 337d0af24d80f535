// Folder paths: relative, with "/" as separator, "" for the top level. Pure, for server and clients.

/**
 * Whether the path is the folder or below it, by whole components. Null and "" are the top level, which contains
 * everything.
 */
export const isBelow = (path: string | null, folder: string): boolean =>
  folder === '' || path === folder || (path?.startsWith(`${folder}/`) ?? false);

/** The parent folder; "" for a folder of the top level. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The last component. */
export const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Either may be "". */
export const joinPath = (folder: string, name: string): string =>
  folder === '' || name === '' ? folder + name : `${folder}/${name}`;

/** `a`, `a/b` and `a/b/c` of `a/b/c`. */
export const withParents = (path: string): string[] =>
  path === '' ? [] : [...path.matchAll(/\/|$/g)].map(({ index }) => path.slice(0, index));

/** The deepest folder common to all; null is the top level. */
export function commonFolder(folders: readonly (string | null)[]): string | null {
  const [first = [], ...others] = folders.map(folder => folder?.split('/') ?? []);
  const end = first.findIndex((part, at) => others.some(parts => parts[at] !== part));
  const common = end < 0 ? first : first.slice(0, end);
  return common.length === 0 ? null : common.join('/');
}

/** The path after its folder `from` was renamed to `to`. */
export const rebase = (path: string, from: string, to: string): string =>
  path === from ? to : joinPath(to, path.slice(from === '' ? 0 : from.length + 1));

/** The stem, and the last extension with its dot, if there is one. */
export function splitName(name: string): readonly [stem: string, ending: string] {
  const [, stem = name, ending = ''] = /^(.+?)(\.[^.]*)?$/su.exec(name) ?? [];
  return [stem, ending];
}

/** `name (2).ext`. */
export function numberedName(name: string, number: number): string {
  const [stem, ending] = splitName(name);
  return `${stem} (${number})${ending}`;
}
