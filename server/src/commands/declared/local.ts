// Common options of the server's commands: those that select the installation, and --json.
import { type CommandDeclaration, flag, type Options, value } from '@recordproof/shared/command-line/command.ts';

/** Kinds of values that `completion values` lists. */
export type ValueKind =
  | 'profiles'
  | 'log-levels'
  | 'roles'
  | 'parts'
  | 'tenants'
  | 'usernames'
  | 'dead-jobs'
  | 'key-versions'
  | 'backups';

/** An option whose values a shell can list. */
export const listed = (asks: ValueKind, placeholder: string, help: string) =>
  ({ ...value(placeholder, help), asks }) as const;

/** Accepted by every command. */
export const placeOptions = {
  data: value('DIR', 'data folder (./recordproof-data)'),
  profile: listed('profiles', 'NAME', 'server | laptop (server)'),
  config: value('FILE', 'YAML file with any setting'),
  'log-level': listed('log-levels', 'NAME', 'fatal … trace | silent (info); debug shows where an error came from'),
};

export const json = flag('one JSON document instead of text; an error is one too, a line on standard error');

export const tenant = listed('tenants', 'NAME', 'the tenant; unless told otherwise, the one that every server has');
export const username = listed('usernames', 'NAME', 'user name or e-mail address');

const whichServer = `It works on the database directly, beside a running server or without one: the one that --data, --config FILE or the
environment (DATABASE_URL for PostgreSQL) chooses, exactly as for "recordproof-server serve".
`;

type Declared<O extends Options> = Omit<CommandDeclaration, 'path' | 'options'> & { readonly options: O };

export type ServerDeclaration = CommandDeclaration & {
  /** Completion offers the place options. */
  readonly isLocal?: boolean;
};

/** A command on an installation; its help shows `notes` above the place options. */
export const local = <const P extends string, const O extends Options>(
  path: P,
  { notes, ...declared }: Declared<O>,
) => ({
  path,
  ...declared,
  isLocal: true as const,
  notes: notes === undefined ? whichServer : `${notes}\n${whichServer}`,
});
