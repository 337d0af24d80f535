// Witnesses for tests, each in a process of its own: ours, and the one in Python that was written from the
// specification.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { toNoteSigner } from '../../server/src/features/chain/index.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import { createKeysMark } from '../../server/src/platform/installation-mark.ts';
import type { MovableClock } from './app.ts';
import { hasExited, stopChild } from './child-process.ts';
import { installed } from './installed.ts';

/**
 * A data folder with the keys of a server that was not started yet, so that witnesses can be told the key of its
 * ledger.
 */
export async function makeLedgerFolder(name: string) {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-witnessed-'));
  const keysFolder = join(folder, 'keys');
  // As a first start leaves it when interrupted after the keys: the next one continues with them.
  await createKeysMark(keysFolder, { id: randomUUID(), isBound: false, database: 'none yet' });
  const keys = openServerKeys(keysFolder, { create: true });
  const signer = toNoteSigner(name, keys.ledger);
  return {
    folder,
    logKey: toVerifierKey(signer),
    env: { RECORDPROOF_LEDGER_NAME: name },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs as the real clock, which witnesses in other processes have; a test may advance it. */
export function openRealClock(): MovableClock {
  let aheadMs = 0;
  return {
    now: () => systemClock.now() + aheadMs,
    advance: milliseconds => {
      aheadMs += milliseconds;
    },
  };
}

export type WitnessProcess = AsyncDisposable & {
  readonly url: string;
  /** In the form of the setting `ledger.witnesses`. */
  readonly setting: string;
  kill(): Promise<void>;
};

export type WitnessPlan = {
  readonly name: string;
  readonly logKey: string;
  readonly folder: string;
  readonly port?: number;
};

export function startWitness({ name, logKey, folder, port = 0 }: WitnessPlan): Promise<WitnessProcess> {
  const options = ['--data', folder, '--name', name, '--log', logKey, '--requests-per-minute', '1000000'];
  const { file, args } = installed.verifier;
  return toWitness(spawn(file, [...args, 'witness', ...options, '--listen', `127.0.0.1:${port}`]));
}

const script = fileURLToPath(new URL('../vectors/witness.py', import.meta.url));

export function startPythonWitness({ name, logKey, folder, port = 0 }: WitnessPlan): Promise<WitnessProcess> {
  const seed = 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7';
  return toWitness(
    spawn('python3', ['-B', script, 'serve', name, seed, logKey, join(folder, 'state.json'), String(port)]),
  );
}

/** Reads the lines that both print: the verifier key, then the address. */
async function toWitness(child: ChildProcess): Promise<WitnessProcess> {
  if (child.stdout === null) throw new Error('a witness prints its key');
  child.stderr?.resume();
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const read = async () => {
    const next = await lines.next();
    if (next.done) throw new Error(`the witness ended at once (${child.exitCode})`);
    return String(next.value);
  };
  const key = await read();
  const url = await read();
  const stop = async (signal?: NodeJS.Signals) => {
    if (!hasExited(child)) await stopChild(child, signal);
  };
  return { url, setting: `${url} ${key}`, kill: () => stop('SIGKILL'), [Symbol.asyncDispose]: () => stop() };
}
