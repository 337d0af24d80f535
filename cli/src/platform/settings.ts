// The effective settings (server, profile, time limit) and the source of each: flag, then environment, then profile, then
// default.
import { type ConfigFile, defaultProfile, getProfile, parseProfileName, settingParsers } from './config-file.ts';
import { defaultServer } from './server-url.ts';

type Source = 'flag' | 'environment' | 'file' | 'default';
type Setting<T> = { readonly value: T; readonly source: Source };
export type Settings = {
  readonly profile: Setting<string>;
  readonly server: Setting<string>;
  readonly timeout: Setting<number>;
  /** Trusted certificates besides those of the machine; none by default. */
  readonly ca: Setting<string>;
};

export type GlobalValues = {
  readonly server?: string | undefined;
  readonly profile?: string | undefined;
  readonly timeout?: string | undefined;
  readonly json?: boolean;
  readonly wide?: boolean;
};

export const variables = {
  server: 'RECORDPROOF_SERVER',
  profile: 'RECORDPROOF_CLI_PROFILE',
  token: 'RECORDPROOF_TOKEN',
} as const;

const defaultTimeoutSeconds = 30;

type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as unset: a shell script disables a value that way for one command. */
const read = (environment: Environment, name: string): string | undefined => environment[name] || undefined;

function first<T>(
  parse: (text: string) => T,
  candidates: readonly (readonly [Source, string | undefined])[],
  otherwise: Setting<T>,
) {
  for (const [source, text] of candidates) if (text !== undefined) return { value: parse(text), source };
  return otherwise;
}

const kept = <T>(saved: T | undefined, otherwise: T): Setting<T> =>
  saved === undefined ? { value: otherwise, source: 'default' } : { value: saved, source: 'file' };

export function resolveSettings(flags: GlobalValues, environment: Environment, config: ConfigFile): Settings {
  const profile = first(
    parseProfileName,
    [
      ['flag', flags.profile],
      ['environment', read(environment, variables.profile)],
    ],
    { value: config.profile, source: config.profile === defaultProfile ? 'default' : 'file' },
  );
  const saved = getProfile(config, profile.value);
  const server = first(
    settingParsers.server,
    [
      ['flag', flags.server],
      ['environment', read(environment, variables.server)],
    ],
    kept(saved.server, defaultServer),
  );
  const timeout = first(settingParsers.timeout, [['flag', flags.timeout]], kept(saved.timeout, defaultTimeoutSeconds));
  return { profile, server, timeout, ca: kept(saved.ca, '') };
}
