// The command `recordproof-verify witness`: opens its folder and serves until it is stopped, or prints its keys.
import { once } from 'node:events';
import type { TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import type { Command } from '../shell/run-command.ts';
import { closeServer, listenAt, untilSignal } from '../shell/serving.ts';
import { oneLine, systemCodeOf, type Terminal } from '../shell/terminal.ts';
import { openWitnessService } from './serve-witness.ts';
import { openWitnessFolder, readWitnessKeys, WitnessProblem } from './witness-folder.ts';
import { type FolderOptions, parseWitnessCommand, type WitnessOptions, witnessDeclaration } from './witness-options.ts';

type Streams = Pick<Terminal, 'stdout' | 'stderr'>;

const shutdownMillis = 5000;

async function run(args: readonly string[], terminal: Streams): Promise<number> {
  const { kind, options } = parseWitnessCommand(args);
  if (kind === 'key') await printKeys(options, terminal);
  else await runWitness(options, terminal, untilSignal());
  return 0;
}

async function printKeys(options: FolderOptions, { stdout }: Streams): Promise<void> {
  const print = (signers: readonly TypedNoteSigner[]) => {
    for (const signer of signers) stdout.write(`${toTypedKeyText(signer)}\n`);
  };
  const keys = await readWitnessKeys(options);
  if (keys !== undefined) return print(keys);
  using folder = await openWitnessFolder(options);
  print(folder.signers);
}

/** Resolves when the signal fires and running requests have been answered. */
export async function runWitness(options: WitnessOptions, { stdout, stderr }: Streams, signal: AbortSignal) {
  using folder = await openWitnessFolder(options);
  const log = (line: string) => void stderr.write(`${new Date().toISOString()} ${oneLine(line)}\n`);
  const server = openWitnessService({ options, folder, log });
  const url = await listenAt(server, options.host, options.port);
  for (const signer of folder.signers) stdout.write(`${toTypedKeyText(signer)}\n`);
  stdout.write(`${url}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await closeServer(server, shutdownMillis);
}

function toSentence(problem: unknown): string {
  if (problem instanceof WitnessProblem) return problem.message;
  const code = systemCodeOf(problem);
  if (['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND'].includes(code))
    return `The witness cannot listen there (${code}): choose another address or port with --listen.`;
  return `The witness could not be run${code === '' ? '' : ` (${code})`}.`;
}

export const witnessCommand: Command = { declaration: witnessDeclaration, run, describeFailure: toSentence };
