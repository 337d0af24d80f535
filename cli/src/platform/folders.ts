// The folders of this program's files, by the XDG specification.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { CommandError } from './command-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws instead of guessing: a token must not be written to the current folder. */
function homeFolder(instead: string): string {
  const home = findHome();
  if (home !== undefined && isAbsolute(home)) return home;
  const what = home === undefined ? 'this user has no home folder' : 'HOME is not the full path of a folder';
  throw new CommandError('config', `${what}, so there is no folder for settings and sessions`, {
    try: `set HOME or ${instead} to a full path`,
  });
}

function findHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

function folder(environment: Environment, variable: string, below: readonly string[]): string {
  const set = environment[variable];
  // The XDG rules ignore a path that is not absolute.
  const parent = set && isAbsolute(set) ? set : join(homeFolder(variable), ...below);
  return join(parent, 'recordproof');
}

export const configFolder = (environment: Environment = process.env): string =>
  folder(environment, 'XDG_CONFIG_HOME', ['.config']);

/** The state of unfinished transfers: local to this machine, kept over a restart, but not a setting. */
export const stateFolder = (environment: Environment = process.env): string =>
  folder(environment, 'XDG_STATE_HOME', ['.local', 'state']);

export type Paths = {
  readonly folder: string;
  readonly config: string;
  readonly credentials: string;
  readonly pinnedKeys: string;
};

export function toPaths(folder: string): Paths {
  return {
    folder,
    config: join(folder, 'config.json'),
    credentials: join(folder, 'credentials.json'),
    pinnedKeys: join(folder, 'pinned-keys.json'),
  };
}
