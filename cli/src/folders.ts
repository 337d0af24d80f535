// Where this program keeps its files, by the XDG rules.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

function folderOf(environment: Environment, variable: string, fallback: string): string {
  const set = environment[variable];
  // The XDG rules say that a path that is not absolute counts as none.
  return join(set && isAbsolute(set) ? set : join(homedir(), fallback), 'recordproof');
}

export const configFolder = (environment: Environment = process.env): string =>
  folderOf(environment, 'XDG_CONFIG_HOME', '.config');

export const cacheFolder = (environment: Environment = process.env): string =>
  folderOf(environment, 'XDG_CACHE_HOME', '.cache');

export type Paths = { readonly folder: string; readonly config: string; readonly credentials: string };

export function toPaths(folder: string): Paths {
  return { folder, config: join(folder, 'config.json'), credentials: join(folder, 'credentials.json') };
}
