// A server process with witnesses in processes of their own, all of which may be killed and started again at the same
// addresses, and the states that they publish.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCheckpointText } from '@recordproof/shared/evidence/checkpoint.ts';
import { verifyCosignature } from '@recordproof/shared/evidence/cosignature.ts';
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseTypedKey, type TypedNoteKey } from '@recordproof/shared/evidence/note-keys.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { expect } from 'vitest';
import { Person } from './app.ts';
import { findFreePort } from './child-process.ts';
import { generousRates } from './installation.ts';
import { noteVerifiers } from './note-keys.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import {
  makeLedgerFolder,
  startPythonWitness,
  startWitness,
  type WitnessPlan,
  type WitnessProcess,
} from './witnesses.ts';

const password = 'correct horse battery';

/** The process at one address; it may be killed and comes back with its data. */
class Restartable<P extends AsyncDisposable & { kill(): Promise<void> }> {
  readonly #start: () => Promise<P>;
  process: P | undefined;

  constructor(start: () => Promise<P>) {
    this.#start = start;
  }

  async start(): Promise<P> {
    this.process = await this.#start();
    return this.process;
  }

  async kill(): Promise<void> {
    await this.process?.kill();
  }
}

export type Witnessed = AsyncDisposable & {
  readonly url: string;
  readonly folder: string;
  readonly logKey: string;
  readonly keys: readonly TypedNoteKey[];
  /** The server is the first. */
  readonly parts: readonly Pick<Restartable<ServerProcess | WitnessProcess>, 'start' | 'kill'>[];
  signIn(): Promise<Person>;
};

export type WitnessKind = 'ours' | 'python';

/** `more` are settings of further witnesses, `<url> <key>` each. */
export async function openWitnessed(
  kinds: readonly WitnessKind[],
  { quorum, more = [] }: { readonly quorum: number; readonly more?: readonly string[] },
): Promise<Witnessed> {
  await using opening = new AsyncDisposableStack();
  const ledger = opening.use(await makeLedgerFolder('ledger.example/log'));
  const witnesses: Restartable<WitnessProcess>[] = [];
  const settings: string[] = [];
  for (const [at, kind] of kinds.entries()) {
    const folder = join(ledger.folder, `witness-${at}`);
    if (kind === 'python') await mkdir(folder);
    const plan: WitnessPlan = { name: `w${at}.example`, logKey: ledger.logKey, folder, port: await findFreePort() };
    const witness = new Restartable(() => (kind === 'ours' ? startWitness(plan) : startPythonWitness(plan)));
    settings.push((await witness.start()).setting);
    opening.defer(() => witness.kill());
    witnesses.push(witness);
  }
  const env = {
    ...generousRates,
    ...ledger.env,
    RECORDPROOF_PROFILE: 'laptop',
    RECORDPROOF_ADMIN_USERNAME: 'root',
    RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
    RECORDPROOF_ADMIN_PASSWORD: password,
    RECORDPROOF_LEDGER_WITNESSES: [...settings, ...more].join(','),
    RECORDPROOF_LEDGER_WITNESS_QUORUM: String(quorum),
  };
  const port = await findFreePort();
  const server = new Restartable(() => startServerProcess({ folder: ledger.folder, env, port }));
  const { url } = await server.start();
  opening.defer(() => server.kill());
  const opened = opening.move();
  return {
    url,
    folder: ledger.folder,
    logKey: ledger.logKey,
    keys: settings.map(setting => parseTypedKey(setting.split(' ')[1] ?? '')),
    parts: [server, ...witnesses],
    async signIn() {
      const person = new Person('root', url);
      await person.login('root', password);
      return person;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** All published states: none may be taken back, and no witness may have signed two histories. */
export class ShownCheckpoints {
  readonly #keys: readonly TypedNoteKey[];
  readonly #roots = new Map<number, string>();
  readonly #cosigned = new Map<string, { size: number; time: number }[]>();
  #newest = 0;
  cosignatures = 0;

  constructor(keys: readonly TypedNoteKey[]) {
    this.#keys = keys;
  }

  get size(): number {
    return this.#newest;
  }

  /** In the order of publication. Returns how many of the witnesses cosigned it. */
  async add(bytes: Uint8Array): Promise<number> {
    const note = parseSignedNote(bytes);
    const { size, root } = parseCheckpointText(note.text);
    expect(size, 'the server went back').toBeGreaterThanOrEqual(this.#newest);
    this.#newest = size;
    expect(this.#roots.getOrInsert(size, toHex(root)), `two roots of ${size}`).toBe(toHex(root));
    let count = 0;
    for (const key of this.#keys) {
      const verdict = await verifyCosignature(note, key, noteVerifiers);
      expect(['VALID', 'ABSENT']).toContain(verdict.state);
      if (verdict.state !== 'VALID' || verdict.timeSeconds === undefined) continue;
      count++;
      this.cosignatures++;
      this.#cosigned.getOrInsertComputed(key.name, () => []).push({ size, time: verdict.timeSeconds });
    }
    return count;
  }

  /** No larger tree was cosigned at an earlier time. */
  checkOrder(): void {
    for (const list of this.#cosigned.values()) {
      const bySize = list.toSorted((a, b) => a.size - b.size || a.time - b.time);
      expect(bySize.map(({ time }) => time)).toEqual(bySize.map(({ time }) => time).toSorted((a, b) => a - b));
    }
  }
}

export async function readCheckpoint(url: string): Promise<Uint8Array> {
  const response = await fetch(`${url}/ledger/checkpoint`);
  if (response.status !== 200) throw new Error(`no checkpoint: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
