// Options and argument parser that the server's commands share.
import { type CommandDeclaration, flag, type Options, value } from '@recordproof/shared/command-line/command.ts';
import { readOptions } from '@recordproof/shared/node/read-arguments.ts';
import { toFlagProblem } from '../../config/flag-problem.ts';

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
export const installationOptions = {
  data: value('DIR', 'data folder (./recordproof-data)'),
  profile: listed('profiles', 'NAME', 'server | laptop (server)'),
  config: value('FILE', 'YAML file with any setting'),
  'log-level': listed('log-levels', 'NAME', 'fatal … trace | silent (info); debug adds the stack of a failed command'),
};

/** For commands that take the server's own settings. */
export const settings = {
  data: installationOptions.data,
  host: value('ADDRESS', 'address to listen on (127.0.0.1)'),
  port: value('N', 'port to listen on (8080); 0: any free port'),
  profile: installationOptions.profile,
  config: installationOptions.config,
  'log-level': installationOptions['log-level'],
};

export const json = flag('print one JSON document instead of text; errors are JSON lines on standard error');

export const tenant = listed('tenants', 'NAME', 'tenant (the default tenant)');
export const username = listed('usernames', 'NAME', 'user name or e-mail address');

const whichServer = `Uses the database directly, whether or not a server is running: the one selected by --data, --config FILE or the
environment (DATABASE_URL for PostgreSQL), as for "recordproof-server serve".
`;

export type ServerCommand = CommandDeclaration & {
  /** Completion offers the options that select the installation. */
  readonly isLocal?: boolean;
  /** Loads the code of the command and resolves to its exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
};

/** The parsed arguments of a command: its options with a value, those without, and the arguments of the installation. */
export type Input<Valued extends string = never, Switch extends string = never> = {
  readonly values: Readonly<Record<Valued, string | undefined> & Record<Switch | 'json', boolean>>;
  readonly configArgs: readonly string[];
};

/** Splits a command's own options from those that select the installation. */
export function parseLocalArgs<const O extends Options>(args: readonly string[], ownOptions: O) {
  const options = { ...installationOptions, ...ownOptions, json };
  const { options: values } = readOptions<typeof options>(args, { options }, { describe: toFlagProblem });
  const configArgs = Object.keys(installationOptions).flatMap(name => {
    const value: unknown = values[name as keyof typeof installationOptions];
    return typeof value === 'string' ? [`--${name}`, value] : [];
  });
  return { values, configArgs };
}

type Declared<O extends Options> = Omit<ServerCommand, 'options' | 'run'> & {
  readonly options: O;
  readonly run: (input: ReturnType<typeof parseLocalArgs<O>>) => Promise<number>;
};

/** A command whose function gets its arguments parsed. */
export const parsed = <const O extends Options>({ run, ...declared }: Declared<O>): ServerCommand => ({
  ...declared,
  run: args => run(parseLocalArgs(args, declared.options)),
});

export const toLocalNotes = (notes?: string): string =>
  notes === undefined ? whichServer : `${notes}\n${whichServer}`;

/** A command on an installation; its help shows `notes` above the options that select the installation. */
export const local = <const O extends Options>(
  path: string,
  { notes, ...declared }: Omit<Declared<O>, 'path' | 'isLocal'>,
): ServerCommand => parsed({ path, ...declared, isLocal: true, notes: toLocalNotes(notes) });
