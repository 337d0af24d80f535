// A server and four witnesses, of which one was written in Python from the specification, each killed repeatedly while
// files are stored: published states are never taken back, no witness signs two histories, and no entry stays without a
// quorum.
// KILLS=200 before the line kills longer.
import { randomBytes, randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TransportError } from '@recordproof/shared/api/client.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { expect, test } from 'vitest';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import type { Person } from '../support/app.ts';
import { testSigner } from '../support/note-keys.ts';
import { exportProof, fetchProof, openProof } from '../support/real-proofs.ts';
import { sendFile } from '../support/uploads.ts';
import { readVoucher } from '../support/voucher-cases.ts';
import { openWitnessed, readCheckpoint, ShownCheckpoints, type Witnessed } from '../support/witnessed-server.ts';

const kills = Number(process.env.KILLS ?? 10);
const longestLifeMs = 1500;
const longestWithoutQuorumMs = 300_000;
const quorum = 2;

const patience = { timeout: 120_000, interval: 200 };

async function store(person: Person): Promise<string> {
  const { status, data, message } = await sendFile(person, randomBytes(500));
  expect(status, message).toBe(200);
  return data.fileHash;
}

/** The proof beside a file, as soon as it has the quorum. */
async function proofOfEntry(world: Witnessed): Promise<Uint8Array> {
  const person = await world.signIn();
  const { data } = await sendFile(person, randomBytes(500));
  const { fileId } = data;
  await expect.poll(async () => (await fetchProof(person, fileId)).status, patience).toBe(200);
  const { manifest } = openProof(await exportProof(person, fileId));
  const ask = () => person.fetch(`/api/v1/public/proofs/${manifest.proofId}/tlog-proof`);
  await expect.poll(async () => (await ask()).status, patience).toBe(200);
  return new Uint8Array(await (await ask()).arrayBuffer());
}

const policyOf = ({ logKey, keys }: Witnessed): Uint8Array => {
  const names = keys.map((_, at) => `w${at}`);
  const witnesses = keys.map((key, at) => `witness w${at} ${toTypedKeyText(key)}\n`);
  return toUtf8(`log ${logKey}\n${witnesses.join('')}group people ${quorum} ${names.join(' ')}\nquorum people\n`);
};

const reached = { isSignedByLog: true, isContradicted: false, isReached: true, isIncluded: true };

test('two of three witnesses, one of them in Python, reach it with one down', async () => {
  const dead = testSigner('COSIGNATURE', 'dead.example');
  const more = [`http://127.0.0.1:9 ${toTypedKeyText(dead)}`];
  await using world = await openWitnessed(['ours', 'python'], { quorum, more });
  expect(await readVoucher(await proofOfEntry(world), policyOf(world))).toMatchObject(reached);
});

/** Answers every request with a cosignature of another checkpoint. */
async function openLiar() {
  const signer = testSigner('COSIGNATURE', 'liar.example');
  const server = createServer((_, response) => {
    response.end(`\u2014 ${signer.name} ${randomBytes(76).toString('base64')}\n`);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    setting: `http://127.0.0.1:${(server.address() as AddressInfo).port} ${toTypedKeyText(signer)}`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('two of three witnesses, one of them in Python, reach it with one dishonest', async () => {
  using liar = await openLiar();
  await using world = await openWitnessed(['ours', 'python'], { quorum, more: [liar.setting] });
  const proof = await proofOfEntry(world);
  expect(await readVoucher(proof, policyOf(world))).toMatchObject(reached);
  expect(Buffer.from(proof).toString()).not.toContain('liar.example');
});

/** The server died during the call. */
const isLost = (problem: unknown): boolean =>
  problem instanceof TransportError || (problem instanceof TypeError && problem.cause !== undefined);

/** Runs until it is told to end; errors of a dying server are no failure. */
async function untilEnd(end: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!end.aborted) {
    try {
      await work();
    } catch (problem) {
      if (!isLost(problem)) throw problem;
      await sleep(20);
    }
  }
}

test(`${kills} kills of server and witnesses keep the quorum`, { timeout: 600_000 + kills * 20_000 }, async () => {
  await using world = await openWitnessed(['ours', 'ours', 'ours', 'python'], { quorum });
  const shown = new ShownCheckpoints(world.keys);
  const ending = new AbortController();
  let person: Person | undefined;
  let stored = 0;
  const working = Promise.all([
    untilEnd(ending.signal, async () => {
      person ??= await world.signIn();
      await store(person);
      stored++;
      await sleep(randomInt(0, 200));
    }),
    untilEnd(ending.signal, async () => {
      await shown.add(await readCheckpoint(world.url));
      await sleep(randomInt(0, 50));
    }),
  ]);
  for (let kill = 0; kill < kills; kill++) {
    await Promise.race([sleep(randomInt(0, longestLifeMs)), working]);
    const part = world.parts[kill % 3 === 0 ? 0 : randomInt(1, world.parts.length)];
    await part?.kill();
    await sleep(randomInt(0, 300));
    await part?.start();
  }
  ending.abort();
  await working;
  await store(await world.signIn());
  await expect.poll(async () => shown.add(await readCheckpoint(world.url)), patience).toBeGreaterThanOrEqual(quorum);
  shown.checkOrder();
  const slowest = await findSlowest(world);
  console.log(
    `${kills} kills, ${stored} files, ${shown.size} entries, ${shown.cosignatures} cosignatures, ${slowest} ms`,
  );
  expect(slowest).toBeLessThan(longestWithoutQuorumMs);
});

/**
 * The longest time between an entry on the ledger and a quorum's cosignature of a checkpoint over it, or its waiting
 * time so far.
 */
async function findSlowest({ folder, parts }: Witnessed): Promise<number> {
  await parts[0]?.kill();
  const now = Date.now();
  const database = await openDatabase({ kind: 'sqlite', path: join(folder, 'recordproof.db') });
  const entries = await database.db.selectFrom('ledger_entry').select(['position', 'recorded_at']).execute();
  const vouchers = await database.db.selectFrom('voucher').selectAll().orderBy('created_at').execute();
  await database.close();
  expect(vouchers.length).toBeGreaterThan(0);
  return Math.max(
    ...entries.map(({ position, recorded_at }) => {
      const covering = vouchers.filter(({ checkpoint_size }) => checkpoint_size > position);
      const first = new Map(covering.toReversed().map(({ target, created_at }) => [target, created_at]));
      const at = [...first.values()].sort((a, b) => a - b)[quorum - 1];
      return (at ?? now) - recorded_at;
    }),
  );
}
