// Command line options of the witness. Rejects logs without their key, and a first start without a name.
import { flag, value, values } from '@recordproof/shared/command-line/command.ts';
import type { TypedNoteKey } from '@recordproof/shared/evidence/note-keys.ts';
import { parseTypedKey } from '@recordproof/shared/evidence/note-keys.ts';
import { isNoteName } from '@recordproof/shared/evidence/signed-note.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { readArguments } from '../shell/arguments.ts';
import { oneLine } from '../shell/terminal.ts';

export type FolderOptions = {
  readonly data: string;
  /** Required for a new folder; must match the name of an existing folder. */
  readonly name?: string | undefined;
  readonly isPostQuantum: boolean;
};

export type WitnessOptions = FolderOptions & {
  readonly host: string;
  readonly port: number;
  /** By origin. */
  readonly logs: ReadonlyMap<string, readonly TypedNoteKey[]>;
  readonly requestsPerMinute: number;
};

export const witnessDeclaration = {
  path: 'witness',
  summary:
    'Runs a witness: it cosigns the checkpoints of transparency logs (C2SP tlog-witness), and never two that contradict',
  usage: [
    'witness --data FOLDER --name NAME --log KEY [options]',
    'witness key --data FOLDER [--name NAME] [--post-quantum]',
  ],
  words: [['key', 'prints the verifier keys that others put into their policies']],
  options: {
    data: value('FOLDER', 'keys and state; made at the first start. Never restore an old copy of it, see below'),
    name: value('NAME', 'name of the witness, such as witness.example.org/w1; needed once, cannot change'),
    log: values(
      'KEY[=ORIGIN]',
      'verifier key of a log to cosign, for each one; ORIGIN where it is not the name of the key',
    ),
    listen: value('HOST:PORT', 'where to listen (default 127.0.0.1:8091); port 0 picks a free one'),
    'post-quantum': flag('cosigns with ML-DSA-44, too; needed once, makes that key'),
    'requests-per-minute': value('N', 'for each address (default 600)'),
  },
  notes: `Logs send their checkpoints to POST /add-checkpoint; GET /health answers 200 while the witness can write its state.

A witness that starts from an old copy of its folder may cosign what contradicts its own cosignatures. When the
folder is lost, start a new witness in an empty one: with another name and key.
`,
} as const;

type Command =
  | { readonly kind: 'key'; readonly options: FolderOptions }
  | { readonly kind: 'serve'; readonly options: WitnessOptions };

export function parseWitnessCommand(args: readonly string[]): Command {
  const { options, positionals } = readArguments(args, witnessDeclaration);
  const [what] = positionals;
  if (what !== undefined && what !== 'key')
    throw new UsageError(`there is no command witness ${oneLine(what)}: witness key prints the verifier keys`);
  const folder = readFolder(options.data, options.name, options['post-quantum']);
  if (what === 'key') {
    const stray = (['listen', 'log', 'requests-per-minute'] as const).find(name => (options[name]?.length ?? 0) > 0);
    if (stray !== undefined) throw new UsageError(`witness key does not take --${stray}`);
    return { kind: 'key', options: folder };
  }
  const logs = readLogs(options.log);
  const requestsPerMinute = readNumber('requests-per-minute', options['requests-per-minute'] ?? '600', 1, 1_000_000);
  return { kind: 'serve', options: { ...folder, ...readAddress(options.listen), logs, requestsPerMinute } };
}

function readFolder(data: string | undefined, name: string | undefined, isPostQuantum: boolean): FolderOptions {
  if (data === undefined)
    throw new UsageError('--data is needed: the folder for the keys and the state of the witness');
  if (name !== undefined && (!isNoteName(name) || Buffer.byteLength(name) > 255))
    throw new UsageError('--name must be at most 255 bytes without spaces or +, such as witness.example.org/w1');
  return { data, isPostQuantum, name };
}

function readAddress(listen = '127.0.0.1:8091'): { host: string; port: number } {
  const [, bracketed, plain, port = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):([0-9]+)$/.exec(listen) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined)
    throw new UsageError(`--listen must be an address and a port such as 127.0.0.1:8091, not "${oneLine(listen)}"`);
  return { host, port: readNumber('listen', port, 0, 65_535) };
}

function readNumber(name: string, text: string, min: number, max: number): number {
  const number = /^[0-9]{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max))
    throw new UsageError(`--${name} must be a number from ${min} to ${max}, not "${oneLine(text)}"`);
  return number;
}

function readLogs(texts: readonly string[]): WitnessOptions['logs'] {
  if (texts.length === 0) throw new UsageError('--log is needed for each log to cosign: its verifier key');
  const logs = new Map<string, TypedNoteKey[]>();
  for (const text of texts) {
    const { key, origin } = readLog(text);
    logs.getOrInsertComputed(origin, () => []).push(key);
  }
  return logs;
}

/** Base64 may also end with `=`: the origin starts after the first `=` that leaves a valid key before it. */
function readLog(text: string): { key: TypedNoteKey; origin: string } {
  const [, written = '', origin] = /^([^+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+={0,2})(?:=([^=\p{Cc}].*))?$/u.exec(text) ?? [];
  try {
    const key = parseTypedKey(written);
    if (key.type === 'COSIGNATURE') throw new RangeError('it is the key of a witness');
    return { key, origin: origin ?? key.name };
  } catch (problem) {
    throw new UsageError(`--log must be <verifier key> or <verifier key>=<origin>: ${(problem as Error).message}`);
  }
}
