// Abuse of status, vouchers and signatures of others by an operator who holds every key: split views, withholding,
// replay, forgery. Each test says which command detects it.

import { generateKeyPairSync, sign } from 'node:crypto';
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseSpki } from '@recordproof/shared/evidence/ed25519.ts';
import { digestProofId } from '@recordproof/shared/evidence/ledger-entry.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { at, type Betrayal, MemoryWitness, openBetrayal } from '../support/betrayal-world.ts';
import { cosignAt, fileEntry, OperatorLog, writeEntry } from '../support/operator-log.ts';

let world: Betrayal;
beforeEach(async () => {
  world = await openBetrayal();
});
afterEach(() => world[Symbol.asyncDispose]());

const policy = (): string[] => ['--policy', world.path('policy')];
const signatureLines = (note: string): string => note.slice(note.indexOf('\n\n') + 2);
const body = (note: string): string => note.slice(0, note.indexOf('\n\n') + 2);

test('F: audit detects a status that is ACTIVE for one client and REVOKED for another', { tags: 'long' }, async () => {
  const { proofId, restate } = await world.issue();
  const own = ['--proof', world.path('file.proof.zip')];
  restate({ status: 'REVOKED', statusVersion: 2 });
  expect(await world.audit(...own)).toEqual([3, 'ANSWER_NEWER']);
  world.log.entries.push(
    writeEntry(at(8), {
      kind: 'PROOF_STATUS',
      proofIdSha256: digestProofId(proofId),
      status: 'REVOKED',
      statusVersion: 2,
    }),
  );
  await world.show();
  expect(await world.audit(...own)).toEqual([0]);
  restate({});
  expect(await world.audit(...own)).toEqual([2, 'ANSWER_MISMATCH']);
  expect(await world.verify()).toEqual(['VALID', undefined]);
  const position = world.log.entries.length - 1;
  restate({
    statusVersion: 2,
    ledgerEntries: { issued: position - 1, status: position, keyInUse: 0, keyRetired: null },
  });
  expect(await world.verify()).toEqual(['INVALID', 'STATUS_ENTRY_MISMATCH']);
  restate({});
  expect(await world.audit('--compare', '0', ...own)).toEqual([2, 'ANSWER_MISMATCH']);
  expect(await world.audit('--compare', '0', '--proof', `rp-proof-${'0'.repeat(64)}`)).toEqual([
    3,
    'PROOF_NOT_RECORDED',
  ]);
});

test('F: audit detects a revocation that later entries take back', async () => {
  const { proofId } = await world.issue();
  const step = (status: string, statusVersion: number) =>
    writeEntry(at(8), { kind: 'PROOF_STATUS', proofIdSha256: digestProofId(proofId), status, statusVersion });
  world.log.entries.push(step('REVOKED', 2), step('ACTIVE', 3));
  await world.show();
  expect(await world.audit('--compare', '0')).toEqual([2, 'STATUS_TAKEN_BACK']);
});

test('F: only comparing checkpoints detects an outdated ledger state that is served to one client', async () => {
  const { proofId } = await world.issue();
  const cosigned = await world.cosign(at(3));
  const frozen = new OperatorLog(world.log.entries, world.log.signer);
  const revoked = { kind: 'PROOF_STATUS', proofIdSha256: digestProofId(proofId), status: 'REVOKED', statusVersion: 2 };
  world.log.entries.push(writeEntry(at(8), revoked));
  const theirs = world.keep('theirs', await world.cosign(at(9)));
  await world.show(frozen, cosigned);
  const own = ['--proof', world.path('file.proof.zip'), ...policy()];
  expect(await world.audit(...own)).toEqual([0]);
  expect(await world.verify()).toEqual(['VALID', undefined]);
  expect(await world.audit(...own, '--since', theirs)).toEqual([2, 'LOG_WENT_BACK']);
});

test('F: audit detects a retired key that is in use again and an audit log that went back', async () => {
  const key = (state: string) =>
    writeEntry(at(1), {
      ...{ kind: 'SIGNING_KEY', keyId: 'k', keyVersion: 1, state },
      publicKeyFingerprint: `sha256:${'ab'.repeat(32)}`,
    });
  const head = (sequence: number) =>
    writeEntry(at(2), { kind: 'AUDIT_HEAD', tenantDigest: 'ab'.repeat(32), sequence, headHash: 'cd'.repeat(32) });
  world.log.entries.push(key('IN_USE'), key('RETIRED'), key('IN_USE'), head(9), head(8));
  await world.show();
  expect(await world.audit('--compare', '0')).toEqual([2, 'KEY_CHANGED', 'AUDIT_LOG_WENT_BACK']);
});

test('withheld vouchers: existence returns NOT_SHOWN, and audit reports the missing quorum', async () => {
  const { position } = await world.issue();
  await world.cosign(at(5));
  await world.show();
  world.layProof(position, await world.log.sign());
  expect(await world.existence()).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  expect(await world.existence('--require', 'witness:2')).toEqual(['NOT_SHOWN', 'REQUIREMENT_NOT_MET']);
  expect(await world.audit(...policy())).toEqual([3, 'QUORUM_NOT_REACHED']);
  expect(await world.audit()).toEqual([0]);
});

test('withheld evidence: existence returns NOT_SHOWN', async () => {
  await world.issue();
  expect(await world.existence()).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
});

test('existence and audit report cosignatures of another checkpoint as a contradiction', async () => {
  const early = await world.cosign(at(-30), { of: new OperatorLog(world.log.entries.slice(0, 10), world.log.signer) });
  const { position } = await world.issue();
  const own = await world.log.sign();
  const replayed = own + signatureLines(early).split('\n').slice(1).join('\n');
  world.layProof(position, replayed);
  expect(await world.existence()).toEqual(['CONTRADICTED', 'COSIGNATURE_WRONG']);
  await world.show(world.log, replayed);
  expect(await world.audit('--compare', '0', ...policy())).toEqual([2, 'COSIGNATURE_WRONG']);
});

test('an earlier checkpoint with valid cosignatures does not cover a later entry', async () => {
  const early = await world.cosign(at(-30));
  const { issuedEntry } = await world.issue();
  const alone = new OperatorLog([...world.log.entries.slice(0, 19), issuedEntry], world.log.signer);
  world.layProof(19, body(early) + signatureLines(early), alone);
  expect(await world.existence()).toEqual(['CONTRADICTED', 'PATH_MISMATCH']);
});

test('cosignatures by a key of the operator under the name of a witness are ignored or contradict', async () => {
  const { position } = await world.issue();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = parseSpki(new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })));
  const byOwnKey = (message: Uint8Array) => new Uint8Array(sign(null, message, privateKey));
  const forge = (key: Uint8Array) =>
    world.witnesses.map(({ signer }) => ({ ...signer, publicKey: key, sign: byOwnKey }));
  world.layProof(position, await cosignAt(await world.log.sign(), forge(raw), '2019-01-01T00:00:00.000Z'));
  expect(await world.existence()).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  const named = world.witnesses.map(({ signer }) => ({ ...signer, sign: byOwnKey }));
  world.layProof(position, await cosignAt(await world.log.sign(), named, '2019-01-01T00:00:00.000Z'));
  expect(await world.existence()).toEqual(['CONTRADICTED', 'COSIGNATURE_WRONG']);
});

test('one dishonest witness cannot change the date of a quorum of two', async () => {
  const { position } = await world.issue();
  const [first, second] = world.witnesses;
  const honest = await second?.ask(world.log, at(5));
  const [liar] = first ? [first.signer] : [];
  const lied = await cosignAt(await world.log.sign(), liar ? [liar] : [], '2019-01-01T00:00:00.000Z');
  world.layProof(position, lied + (honest?.[1] ?? ''));
  expect(await world.existence()).toEqual(['EXISTED', at(5)]);
  world.layProof(position, lied);
  expect(await world.existence()).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
});

test('witnesses that are not in the policy of the reader are ignored', async () => {
  const { position } = await world.issue();
  const own = [new MemoryWitness('own1'), new MemoryWitness('own2')];
  world.layProof(position, await world.cosign(at(5), { by: own }));
  expect(await world.existence()).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
});

test('witnesses cosign only one of two histories, so the other has no quorum', async () => {
  const fork = new OperatorLog(world.log.entries.with(3, fileEntry(3333, at(-57))), world.log.signer);
  const [one, two, three] = world.witnesses;
  const statuses = [await one?.ask(world.log, at(1)), await two?.ask(world.log, at(1)), await three?.ask(fork, at(1))];
  expect(statuses.map(answer => answer?.[0])).toEqual([200, 200, 200]);
  const again = [await one?.ask(fork, at(2)), await two?.ask(fork, at(2)), await three?.ask(world.log, at(2))];
  expect(again.map(answer => answer?.[0])).toEqual([409, 409, 409]);
  expect(parseUtf8(toUtf8(await world.cosign(at(3))))).not.toContain('three.example');
});
