// Where this program keeps its files, by the XDG rules.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

export function configFolder(environment: Environment = process.env): string {
  const set = environment.XDG_CONFIG_HOME;
  // The XDG rules say that a path that is not absolute counts as none.
  return join(set && isAbsolute(set) ? set : join(homedir(), '.config'), 'recordproof');
}

/** Where unfinished transfers are noted: work of this machine, worth keeping over a restart but not a setting. */
export function stateFolder(environment: Environment = process.env): string {
  const set = environment.XDG_STATE_HOME;
  return join(set && isAbsolute(set) ? set : join(homedir(), '.local', 'state'), 'recordproof');
}

export type Paths = { readonly folder: string; readonly config: string; readonly credentials: string };

export function toPaths(folder: string): Paths {
  return { folder, config: join(folder, 'config.json'), credentials: join(folder, 'credentials.json') };
}
