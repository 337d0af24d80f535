// A witness that is killed over and over while two clients ask it: one for a log, the other for a fork of it that the same
// key signs. Every cosignature that arrived is kept and compared at the end. KILLS=200 before the line kills longer.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkKey } from '@recordproof/shared/evidence/cosignature.ts';
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseTypedKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { addSignatureLines, parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { afterAll, expect, test } from 'vitest';
import { stopChild } from '../support/child-process.ts';
import { installed } from '../support/installed.ts';
import { noteVerifiers, testSigner } from '../support/note-keys.ts';
import { addressOf } from '../support/packaged.ts';
import { type MemoryLog, memoryLog } from '../support/witness-requests.ts';

const kills = Number(process.env.KILLS ?? 10);
const longestLifeMs = 250;
const forkAt = 12;
const logSigner = testSigner('ED25519', 'ledger.example/log');
const branches = [memoryLog(logSigner), memoryLog(logSigner, 1, forkAt)] as const;
const folder = mkdtempSync(join(tmpdir(), 'witness-kills-'));
afterAll(() => rmSync(folder, { recursive: true }));

const options = ['--data', folder, '--name', 'witness.example', '--requests-per-minute', '1000000'];
const program = (...args: string[]) => spawn(installed.verifier.file, [...installed.verifier.args, 'witness', ...args]);

function start() {
  return program(...options, '--listen', '127.0.0.1:0', '--log', toTypedKeyText(logSigner));
}

type Cosigned = { readonly size: number; readonly root: string; readonly lines: string };

/** Goes on from the size that the witness answers, for as long as the witness answers. */
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

/** A request from nothing changes nothing: it is rejected with the size, unless that is zero. */
async function sizeKnownAt(url: string): Promise<number> {
  const body = Buffer.from(await branches[0].request(0, 0));
  const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
  return answer.status === 409 ? Number(await answer.text()) : 0;
}

/** The witness died under the request; any answer of it that was not expected is a failure of its own. */
const isLostAnswer = (problem: Error): boolean => problem instanceof TypeError && problem.cause !== undefined;

test(`${kills} kills: never a cosignature for a fork, never one for a smaller log`, async () => {
  const clients = branches.map(log => new Client(log));
  const known = () => Math.max(0, ...clients.flatMap(({ cosigned }) => cosigned.map(({ size }) => size)));
  for (let kill = 0; kill < kills; kill++) {
    const child = start();
    const url = await addressOf(child);
    const health = await fetch(`${url}/health`);
    expect([health.status, await health.json()]).toMatchObject([200, { status: 'UP' }]);
    expect(await sizeKnownAt(url)).toBeGreaterThanOrEqual(known());
    const ended = clients.map(client => client.work(url).catch((problem: Error) => problem));
    await sleep(randomInt(0, longestLifeMs));
    await stopChild(child, 'SIGKILL');
    for (const problem of await Promise.all(ended)) if (problem && !isLostAnswer(problem)) throw problem;
  }
  await checkAll(clients);
}, 3_600_000);

async function checkAll(clients: readonly Client[]): Promise<void> {
  for (const { cosigned } of clients) {
    const sizes = cosigned.map(({ size }) => size);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  }
  const all = clients.flatMap(({ cosigned }) => cosigned);
  const isOnOne = branches.map(branch => all.every(({ size, root }) => toHex(branch.rootAt(size)) === root));
  expect(isOnOne).toContain(true);
  expect(Math.max(...all.map(({ size }) => size))).toBeGreaterThan(forkAt);
  const key = await readKey();
  for (const { size, root, lines } of all) {
    const branch = branches.find(({ rootAt }) => toHex(rootAt(size)) === root) ?? branches[0];
    const note = parseSignedNote(addSignatureLines(await branch.checkpoint(size), lines));
    expect(await checkKey(note, key, noteVerifiers)).toMatchObject({ state: 'VALID' });
  }
}

async function readKey() {
  const child = program('key', '--data', folder);
  let said = '';
  for await (const part of child.stdout) said += part;
  return parseTypedKey(said.trim());
}
