// Repeated kills of witnesses while two clients query each of them: one for a log, the other for a fork of it that the
// same key signs. Every cosignature that arrived is kept and compared at the end. KILLS=200 before the line kills
// longer.
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyCosignature } from '@recordproof/shared/evidence/cosignature.ts';
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseTypedKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { addSignatureLines, parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { afterAll, expect, test } from 'vitest';
import { noteVerifiers, testSigner } from '../support/note-keys.ts';
import { type MemoryLog, memoryLog } from '../support/witness-requests.ts';
import { startPythonWitness, startWitness, type WitnessProcess } from '../support/witnesses.ts';

const kills = Number(process.env.KILLS ?? 10);
const forkAt = 12;
const logSigner = testSigner('ED25519', 'ledger.example/log');
const branches = [memoryLog(logSigner), memoryLog(logSigner, 1, forkAt)] as const;
const folder = mkdtempSync(join(tmpdir(), 'witness-kills-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Kind = { readonly name: string; readonly longestLifeMs: number; readonly start: typeof startWitness };
const ours: Kind = { name: 'ours', longestLifeMs: 250, start: startWitness };
const python: Kind = { name: 'python', longestLifeMs: 1000, start: startPythonWitness };

type Cosigned = { readonly size: number; readonly root: string; readonly lines: string };

/** Continues from the size that the witness returns, until the witness stops answering. */
class Client {
  readonly cosigned: Cosigned[] = [];
  readonly #log: MemoryLog;
  #known = 0;

  constructor(log: MemoryLog) {
    this.#log = log;
  }

  async work(url: string): Promise<void> {
    for (;;) {
      const size = this.#known + randomInt(0, 3);
      const body = Buffer.from(await this.#log.request(this.#known, size));
      const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
      const said = await answer.text();
      if (answer.status === 200) {
        this.cosigned.push({ size, root: toHex(this.#log.rootAt(size)), lines: said });
        this.#known = size;
      } else if (answer.status === 409) this.#known = Number(said);
      else if (answer.status !== 422) throw new Error(`${answer.status} ${said}`);
    }
  }
}

/** The witness died during the request; any unexpected answer of it is a failure of its own. */
const isLostAnswer = (problem: Error): boolean => problem instanceof TypeError && problem.cause !== undefined;

/** One witness, its folder, and its two clients. */
class Witnessed {
  readonly clients = branches.map(log => new Client(log));
  readonly #kind: Kind;
  readonly #plan;
  #key = '';

  constructor(kind: Kind, at: number) {
    this.#kind = kind;
    const own = join(folder, `${kind.name}-${at}-${randomInt(1e9)}`);
    if (kind === python) mkdirSync(own);
    this.#plan = { name: `w${at}.example`, logKey: toTypedKeyText(logSigner), folder: own };
  }

  get all(): Cosigned[] {
    return this.clients.flatMap(({ cosigned }) => cosigned);
  }

  /** That many lifetimes, and more where a busy machine needs them until the two histories differ. */
  async liveOver(times: number): Promise<void> {
    for (let kill = 0; kill < times || this.#newest <= forkAt; kill++) await this.live();
  }

  get #newest(): number {
    return Math.max(0, ...this.all.map(({ size }) => size));
  }

  /** From a start to a kill: the witness still has all earlier state. */
  async live(): Promise<void> {
    const witness = await this.#kind.start(this.#plan);
    this.#key = witness.setting.split(' ')[1] ?? '';
    expect(await sizeKnownAt(witness)).toBeGreaterThanOrEqual(this.#newest);
    const ended = this.clients.map(client => client.work(witness.url).catch((problem: Error) => problem));
    await sleep(randomInt(0, this.#kind.longestLifeMs));
    await witness.kill();
    for (const problem of await Promise.all(ended)) if (problem && !isLostAnswer(problem)) throw problem;
  }

  /** No fork, no smaller log, and every cosignature is valid. Returns the branch. */
  async check(): Promise<number> {
    for (const { cosigned } of this.clients) {
      const sizes = cosigned.map(({ size }) => size);
      expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    }
    const isOnOne = branches.map(branch => this.all.every(({ size, root }) => toHex(branch.rootAt(size)) === root));
    expect(isOnOne).toContain(true);
    const key = parseTypedKey(this.#key);
    for (const { size, root, lines } of this.all) {
      const branch = branches.find(({ rootAt }) => toHex(rootAt(size)) === root) ?? branches[0];
      const note = parseSignedNote(addSignatureLines(await branch.checkpoint(size), lines));
      expect(await verifyCosignature(note, key, noteVerifiers)).toMatchObject({ state: 'VALID' });
    }
    return isOnOne.indexOf(true);
  }
}

/** A request from size zero changes nothing: it is rejected with the size, unless that is zero. */
async function sizeKnownAt({ url }: WitnessProcess): Promise<number> {
  const body = Buffer.from(await branches[0].request(0, 0));
  const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
  return answer.status === 409 ? Number(await answer.text()) : 0;
}

test.each([
  [ours, kills],
  [python, Math.ceil(kills / 2)],
])(
  '$name: killed repeatedly, a witness never cosigns a fork or a smaller log',
  async (kind, times) => {
    const witness = new Witnessed(kind, 0);
    await witness.liveOver(times);
    await witness.check();
  },
  3_600_000,
);

test('three of our witnesses and one in Python: a fork and its log never both have three cosignatures', async () => {
  const witnesses = [ours, ours, ours, python].map((kind, at) => new Witnessed(kind, at));
  await Promise.all(witnesses.map(witness => witness.liveOver(Math.ceil(kills / 2))));
  const onBranch = [0, 0];
  for (const witness of witnesses) {
    const branch = await witness.check();
    onBranch[branch] = (onBranch[branch] ?? 0) + 1;
  }
  expect(Math.min(...onBranch)).toBeLessThan(3);
}, 3_600_000);
