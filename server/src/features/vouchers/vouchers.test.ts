// Vouchers over a whole server: witness quorum, mutual cosigning of two servers, forks, and kept checkpoints.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Health } from '@recordproof/shared/api/monitor.ts';
import { signCosignatureLine, type TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { isProofOf, parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { openChainsBeside } from '../../../../test/support/chains-beside.ts';
import { findFreePort } from '../../../../test/support/child-process.ts';
import { batchRoot } from '../../../../test/support/ledgers.ts';
import { testSigner } from '../../../../test/support/note-keys.ts';
import {
  type Answering,
  answerEndlessly,
  honestWitness,
  serve,
  startWitnessed,
} from '../../../../test/support/outside-services.ts';
import { exportProof, laptop, openProof } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { memoryLog } from '../../../../test/support/witness-requests.ts';
import { makeLedgerFolder, openRealClock } from '../../../../test/support/witnesses.ts';
import { findLog, keepNewestCheckpoint } from '../chain/index.ts';

const settingOf = (url: string, signer: TypedNoteSigner): string => `${url} ${toTypedKeyText(signer)}`;

/** The id of the proof of a new file. */
async function prove(app: TestApp, person: Person): Promise<string> {
  const { fileId } = await storeProxied(person, randomBytes(2000));
  await app.drain();
  return openProof(await exportProof(person, fileId)).manifest.proofId;
}

const fetchTlogProof = async (person: Person, proofId: string) => {
  const response = await person.fetch(`/api/v1/public/proofs/${proofId}/tlog-proof`);
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};

const namesIn = (note: Uint8Array): string[] => parseSignedNote(note).signatures.map(({ name }) => name);

async function readLag(admin: Person) {
  const { components } = (await (await admin.fetch('/actuator/health')).json()) as Health;
  const { status, details } = components?.vouchers ?? {};
  return { status, targets: (details?.targets ?? {}) as Record<string, { vouchedSize: number; error?: string }> };
}

const one = testSigner('COSIGNATURE', 'one.example');
const two = testSigner('COSIGNATURE', 'two.example');
const three = testSigner('COSIGNATURE', 'three.example');
const stranger = testSigner('COSIGNATURE', 'stranger.example');

test('the entry of a proof is covered by a checkpoint that two of three witnesses cosigned', async () => {
  await using ledger = await makeLedgerFolder('ledger.example/log');
  await using first = await serve(honestWitness(one, ledger.logKey));
  await using second = await serve(honestWitness(two, ledger.logKey));
  const settings = [settingOf(first.url, one), settingOf(second.url, two), settingOf('http://127.0.0.1:9', three)];
  await using app = await startWitnessed(ledger, { RECORDPROOF_LEDGER_WITNESSES: settings.join(',') });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  for (const _ of [1, 2]) {
    const proofId = await prove(app, ada);
    await expect.poll(async () => (await fetchTlogProof(app.anonymous, proofId)).status, { timeout: 20_000 }).toBe(200);
    const proof = parseTlogProof((await fetchTlogProof(app.anonymous, proofId)).bytes);
    expect(namesIn(proof.checkpoint)).toEqual(['ledger.example/log', 'one.example', 'two.example']);
    const entry = proof.extra ?? Buffer.alloc(0);
    expect(isProofOf(hashLeaf(entry), proof)).toBe(true);
    expect(Buffer.from(entry).toString()).toContain('"kind":"PROOF_ISSUED"');
    await expect
      .poll(async () => namesIn(Buffer.from(await (await app.anonymous.fetch('/ledger/checkpoint')).arrayBuffer())), {
        timeout: 20_000,
      })
      .toEqual(['ledger.example/log', 'one.example', 'two.example']);
  }
  const lag = await readLag(root);
  expect(lag.status).toBe('UP');
  expect(Object.values(lag.targets).find(({ vouchedSize }) => vouchedSize === 0)?.error).toContain('cannot be reached');
  const metrics = await (await root.fetch('/actuator/prometheus')).text();
  expect(metrics).toMatch(/app_voucher_quorum_lag_seconds \d/);
  expect(metrics).toMatch(/app_voucher_lag_seconds\{target="one\.example\+[0-9a-f]{8}"\} \d/);
  const unknown = `rp-proof-${'0'.repeat(64)}`;
  expect((await fetchTlogProof(app.anonymous, unknown)).status).toBe(404);
});

/** Cosigns everything sixty times, each time at another second. */
const floodingWitness =
  (signer: TypedNoteSigner): Answering =>
  async (request, response) => {
    const body = await buffer(request);
    const { text } = parseSignedNote(body.subarray(body.indexOf('\n\n') + 2));
    const now = Math.floor(Date.now() / 1000);
    const lines = Array.from({ length: 60 }, (_, at) => signCosignatureLine(text, signer, now - at));
    response.end((await Promise.all(lines)).join(''));
  };

test('a witness that answers many cosignatures does not displace those of others', { tags: 'long' }, async () => {
  await using ledger = await makeLedgerFolder('ledger.example/log');
  const flooding = testSigner('COSIGNATURE', 'a.example');
  await using first = await serve(floodingWitness(flooding));
  await using second = await serve(honestWitness(one, ledger.logKey));
  const settings = [settingOf(first.url, flooding), settingOf(second.url, one)];
  await using app = await startWitnessed(ledger, {
    RECORDPROOF_LEDGER_WITNESSES: settings.join(','),
    RECORDPROOF_LEDGER_WITNESS_QUORUM: '2',
  });
  const proofId = await prove(app, await app.person('ada'));
  await expect.poll(async () => (await fetchTlogProof(app.anonymous, proofId)).status, { timeout: 20_000 }).toBe(200);
  const { checkpoint } = parseTlogProof((await fetchTlogProof(app.anonymous, proofId)).bytes);
  expect(namesIn(checkpoint)).toEqual(['ledger.example/log', 'a.example', 'one.example']);
});

test('a server without witnesses returns the entry under its newest checkpoint', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({ env: laptop });
  const proofId = await prove(app, await app.person('ada'));
  const { status, bytes } = await fetchTlogProof(app.anonymous, proofId);
  expect(status).toBe(200);
  expect(parseTlogProof(bytes).note.signatures).toHaveLength(1);
});

const liars: Readonly<Record<string, { readonly answer: (logKey: string) => Answering; readonly why: RegExp }>> = {
  'a wrong signature': {
    answer: () => async (request, response) => {
      const note = parseSignedNote(noteIn(await buffer(request)));
      response.end(await signCosignatureLine(`${note.text}x\n`, one, Math.floor(Date.now() / 1000)));
    },
    why: /wrong/,
  },
  'the key of another': { answer: logKey => honestWitness(stranger, logKey), why: /no cosignature of its key/ },
  'a replayed cosignature': {
    answer: logKey => honestWitness(one, logKey, () => Math.floor(Date.now() / 1000) - 3600),
    why: /differs by \d+ s from the clock/,
  },
  'an endless answer': {
    answer: () => answerEndlessly,
    why: /more than 65536 bytes/,
  },
  'a redirect': {
    answer: () => (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
    why: /answered 307/,
  },
  'another size each time': {
    answer: () => {
      let size = 0;
      return (_request, response) => {
        size = 1 - size;
        response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${size}\n`);
      };
    },
    why: /another size in each|another tree/,
  },
  'more entries than there are': {
    answer: () => (_request, response) =>
      void response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end('1000000\n'),
    why: /an older backup/,
  },
};

/** The note that a request of add-checkpoint ends with. */
const noteIn = (body: Uint8Array): Uint8Array => Buffer.from(body).subarray(Buffer.from(body).indexOf('\n\n') + 2);

test.each(Object.entries(liars))(
  'a response of a witness is rejected with %s',
  { tags: 'long-on-postgres' },
  async (_name, { answer, why }) => {
    await using ledger = await makeLedgerFolder('ledger.example/log');
    await using liar = await serve(answer(ledger.logKey));
    await using app = await startWitnessed(ledger, { RECORDPROOF_LEDGER_WITNESSES: settingOf(liar.url, one) });
    const root = await app.person('root', { role: 'admin' });
    const proofId = await prove(app, root);
    const errorOf = async () => Object.values((await readLag(root)).targets)[0]?.error;
    await expect.poll(errorOf, { timeout: 20_000 }).toMatch(why);
    expect(await app.app.database.db.selectFrom('voucher').select('id').execute()).toEqual([]);
    expect(await fetchTlogProof(app.anonymous, proofId)).toMatchObject({ status: 409, retryAfter: '2' });
    app.clock.advance(400_000);
    const late = await fetchTlogProof(app.anonymous, proofId);
    expect([late.status, parseTlogProof(late.bytes).note.signatures.length]).toEqual([200, 1]);
    await expect.poll(async () => (await readLag(root)).status, { timeout: 20_000 }).toBe('DEGRADED');
  },
);

test('two servers cosign the ledgers of each other, with one setting each', { tags: 'long' }, async () => {
  await using ledger = await makeLedgerFolder('a.example/log');
  await using other = await makeLedgerFolder('b.example/log');
  const port = await findFreePort();
  const peers = (url: string, key: string) => ({ RECORDPROOF_LEDGER_WITNESS_PEERS: `${url} ${key}` });
  await using a = await startWitnessed(ledger, {
    RECORDPROOF_PORT: String(port),
    ...peers(`http://127.0.0.1:${await findFreePort()}`, other.logKey),
  });
  await using b = await startWitnessed(other, peers(a.app.url, ledger.logKey));
  const proofId = await prove(b, await b.person('ada'));
  await expect.poll(async () => (await fetchTlogProof(b.anonymous, proofId)).status, { timeout: 20_000 }).toBe(200);
  const { bytes } = await fetchTlogProof(b.anonymous, proofId);
  expect(namesIn(parseTlogProof(bytes).checkpoint)).toEqual(['b.example/log', 'a.example/log']);
});

test('a server cosigns like a witness, keeps its state across restarts, and reports a fork', {
  tags: 'long-on-postgres',
}, async () => {
  const logSigner = testSigner('ED25519', 'peer.example/log');
  const log = memoryLog(logSigner);
  const fork = memoryLog(logSigner, 1, 3);
  const alien = memoryLog(testSigner('ED25519', 'alien.example/log'));
  const env = { RECORDPROOF_LEDGER_WITNESS_PEERS: `http://127.0.0.1:9 ${toTypedKeyText(logSigner)}` };
  await using ledger = await makeLedgerFolder('ledger.example/log');
  const post = async (app: TestApp, body: Uint8Array | string) => {
    const init = { method: 'POST', body: Buffer.from(body) };
    const response = await app.anonymous.fetch('/ledger/witness/add-checkpoint', init);
    return [response.status, await response.text()] as const;
  };
  {
    await using app = await startApp({ clock: openRealClock(), folder: ledger.folder, env: { ...ledger.env, ...env } });
    expect((await post(app, await log.request(0, 3)))[0]).toBe(200);
    const both = await Promise.all([log, fork].map(async branch => post(app, await branch.request(3, 5))));
    expect(both.map(([status]) => status).toSorted()).toEqual([200, 409]);
    expect((await post(app, await log.request(9, 5)))[0]).toBe(400);
    expect((await post(app, 'old 1'))[0]).toBe(400);
    expect((await post(app, await alien.request(0, 3)))[0]).toBe(404);
    expect((await post(app, 'x'.repeat(100_000)))[0]).toBe(413);
  }
  await using app = await startWitnessed(ledger, env);
  expect(await post(app, await log.request(3, 7))).toEqual([409, '5\n']);
  const [first, second] = await Promise.all([log, fork].map(async branch => post(app, await branch.request(5, 5))));
  expect([first?.[0], second?.[0]].toSorted()).toEqual([200, 409]);
  const admin = await app.person('root', { role: 'admin' });
  expect((await readLag(admin)).status).toBe('DEGRADED');
});

test('a proof of an earlier release without an entry of its own is covered by its batch', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({ env: laptop });
  const proofId = await prove(app, await app.person('ada'));
  const { db } = app.app.database;
  await db.updateTable('ledger_entry').set({ subject: 'unknown' }).where('kind', '=', 'PROOF_ISSUED').execute();
  const { extra = Buffer.alloc(0) } = parseTlogProof((await fetchTlogProof(app.anonymous, proofId)).bytes);
  expect(parseLedgerEntry(extra)).toMatchObject({ kind: 'BATCH_ROOT', batchNo: 'MB-1' });
});

test('a checkpoint sent to a witness is kept when others follow within a minute', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  await using chains = await openChainsBeside(app);
  const sizes = async () =>
    (await app.app.database.db.selectFrom('ledger_checkpoint').select('size').orderBy('size').execute()).map(
      ({ size }) => size,
    );
  await chains.ledger.publish();
  const first = (await findLog(app.app.database.db))?.size ?? 0;
  for (const number of [1, 2]) await chains.chain.submitRoot(batchRoot(number));
  expect(await sizes()).toEqual([first + 2]);
  expect(await keepNewestCheckpoint(app.app.database.db, first + 1)).toMatchObject({ size: first + 2 });
  expect(await keepNewestCheckpoint(app.app.database.db, first + 2)).toBeNull();
  for (const number of [3, 4]) await chains.chain.submitRoot(batchRoot(number));
  expect(await sizes()).toEqual([first + 2, first + 4]);
});
