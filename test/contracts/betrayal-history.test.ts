// Rewritten histories by an operator who holds every key and the whole database: missing, changed and removed entries,
// and split views. Each test says which command detects it.
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseHex } from '@recordproof/shared/evidence/digest.ts';
import { isContradiction } from '@recordproof/shared/evidence/log-contradiction.ts';
import { parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Home, openHome } from '../../cli/src/testing.ts';
import { at, type Betrayal, openBetrayal } from '../support/betrayal-world.ts';
import { verifyEd25519 } from '../support/ed25519.ts';
import { batchEntry, fileEntry, OperatorLog } from '../support/operator-log.ts';

let world: Betrayal;
let auditor: Home;
beforeEach(async () => {
  world = await openBetrayal();
  auditor = await openHome({ url: world.server });
});
afterEach(async () => {
  await auditor[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const checkCode = async (home = auditor): Promise<number | null> =>
  (await home.run(['ledger', 'watch', '--count', '1', '--key', world.log.key])).code;

const keptBy = async (home: Home): Promise<string> => {
  const files = await readdir(home.path, { recursive: true });
  return join(home.path, files.find(name => name.endsWith('.checkpoints')) ?? 'none');
};

/** Reads as a recipient of the file who knows nothing else. */
async function isProof(path: string): Promise<boolean> {
  const file = JSON.parse(readFileSync(path, 'utf8'));
  const opened = (note: string) => openCheckpoint(Buffer.from(note), parseVerifierKey(file.key), verifyEd25519);
  const pair = [await opened(file.older), await opened(file.newer)] as const;
  const nodes = file.nodes.map((node: { hash: string }) => ({ ...node, hash: parseHex(node.hash) }));
  return file.isProof === true && isContradiction(pair, nodes);
}

async function findProof(...folders: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders)
    for (const name of await readdir(folder, { recursive: true }))
      if (name.endsWith('.contradiction.json')) found.push(join(folder, name));
  return found;
}

test('S1: verify --server detects a root without a ledger entry; existence offline returns NOT_SHOWN', async () => {
  await world.issue({ isUnrecorded: true });
  expect(await world.verify()).toEqual(['INVALID', 'CHAIN_ENTRY_MISMATCH']);
  expect(await world.existence()).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  world.layProof(3, await world.cosign(at(5)));
  expect(await world.existence()).toEqual(['CONTRADICTED', 'ENTRY_OF_OTHER_PROOF']);
});

test('S3: watch, audit and every witness detect a rewritten history', { tags: 'long' }, async () => {
  const note = await world.cosign(at(5));
  const kept = world.keep('kept', note);
  expect(await checkCode()).toBe(0);
  const rewritten = new OperatorLog(
    [...world.log.entries.with(4, fileEntry(4444, at(-56))), fileEntry(50, at(10))],
    world.log.signer,
  );
  await world.show(rewritten);
  expect(await checkCode()).toBe(65);
  expect(await world.audit('--compare', '0', '--since', kept)).toEqual([2, 'LOG_REWRITTEN']);
  for (const witness of world.witnesses) expect(await witness.ask(rewritten, at(10))).toEqual([422, '']);
  // To a new reader the history looks valid: only readers who kept a checkpoint can detect it.
  expect(await world.audit('--compare', '0')).toEqual([0]);
});

test('S4: watch, audit and every witness detect a removed entry', { tags: 'long' }, async () => {
  const { position } = await world.issue();
  const note = await world.cosign(at(5));
  const kept = world.keep('kept', note);
  world.layProof(position, note);
  await world.show(world.log, note);
  expect(await checkCode()).toBe(0);
  const shorter = new OperatorLog(
    [...world.log.entries.toSpliced(position, 1), ...[60, 61].map(n => fileEntry(n, at(n)))],
    world.log.signer,
  );
  await world.show(shorter);
  expect(await checkCode()).toBe(65);
  expect(await world.audit('--compare', '0', '--since', kept)).toEqual([2, 'LOG_REWRITTEN']);
  for (const witness of world.witnesses) expect(await witness.ask(shorter, at(65))).toEqual([422, '']);
  expect(await world.verify()).toEqual(['INVALID', 'ISSUE_ENTRY_MISMATCH']);
  // The evidence can be checked without server and ledger.
  expect(await world.existence()).toEqual(['EXISTED', at(5)]);
});

test('S5: comparing checkpoints detects a fork shown to one client, and no witness cosigns it', {
  tags: 'long',
}, async () => {
  await world.cosign(at(5));
  expect(await checkCode()).toBe(0);
  const theirs = await keptBy(auditor);
  const fork = new OperatorLog(world.log.entries.with(7, fileEntry(7777, at(-53))), world.log.signer);
  const other = Object.assign(fork, { entries: [...fork.entries, ...[70, 71].map(n => fileEntry(n, at(n)))] });
  await world.show(other);
  await using victim = await openHome({ url: world.server });
  expect(await checkCode(victim)).toBe(0);
  const compared = await victim.run(['ledger', 'watch', '--compare', theirs]);
  expect([compared.code, compared.stderr]).toEqual([65, expect.stringContaining('proves to any third party')]);
  expect(await world.audit('--compare', '0', '--since', theirs)).toEqual([2, 'LOG_REWRITTEN']);
  expect(await world.cosign(at(10), { of: other })).not.toContain('one.example');
  world.layProof(7, await other.sign(), other);
  expect(await world.existence()).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  expect(await world.audit('--compare', '0', '--policy', world.path('policy'))).toEqual([3, 'QUORUM_NOT_REACHED']);
});

test('S6: watch, audit and every witness detect a rollback', { tags: 'long' }, async () => {
  const kept = world.keep('kept', await world.cosign(at(5)));
  expect(await checkCode()).toBe(0);
  await world.show(new OperatorLog(world.log.entries.slice(0, 12), world.log.signer));
  expect(await checkCode()).toBe(65);
  expect(await world.audit('--compare', '0', '--since', kept)).toEqual([2, 'LOG_WENT_BACK']);
  for (const witness of world.witnesses) expect((await witness.ask(world.log, at(6), 12))[0]).toBe(409);
});

test('S8: audit and ledger verify detect a duplicate batch number', async () => {
  const { batchNo } = await world.issue();
  world.log.entries.push(batchEntry(1, at(9), { batchNo }));
  await world.show();
  expect(await world.audit('--compare', '0')).toEqual([2, 'BATCH_TWICE']);
  const verified = await auditor.run(['ledger', 'verify', '--key', world.log.key]);
  expect([verified.code, verified.stderr]).toEqual([65, expect.stringContaining(`holds ${batchNo} twice`)]);
});

test('D: a server that is down or withholds its tiles is never reported as checked', { tags: 'long' }, async () => {
  expect(await checkCode()).toBe(0);
  const whole = world.site.files;
  world.site.files = new Map();
  expect(await checkCode()).toBe(69);
  expect(await world.audit()).toEqual([69]);
  world.site.files = whole;
  world.log.entries.push(...Array.from({ length: 9 }, (_, n) => fileEntry(80 + n, at(n))));
  await world.show();
  for (const name of [...world.site.files.keys()]) if (name.startsWith('tile/')) world.site.files.delete(name);
  expect(await checkCode()).toBe(69);
  expect(await world.audit()).toEqual([3, 'TILES_WITHHELD']);
});

test('E: the contradiction file is a self-contained proof of the contradiction', { tags: 'long' }, async () => {
  const kept = world.keep('kept', await world.log.sign());
  expect(await checkCode()).toBe(0);
  const rewritten = new OperatorLog(
    [...world.log.entries.with(2, fileEntry(2222, at(-58))), fileEntry(2223, at(9))],
    world.log.signer,
  );
  await world.show(rewritten);
  expect(await checkCode()).toBe(65);
  expect(await world.audit('--compare', '0', '--since', kept)).toEqual([2, 'LOG_REWRITTEN']);
  const files = await findProof(auditor.path, world.folder);
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect(await isProof(file)).toBe(true);
    expect(await readFile(file, 'utf8')).toContain('recordproof.ledger-contradiction.v1');
  }
});
