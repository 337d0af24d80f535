// The question "since when did these bytes exist, on whose word", with honest evidence and with an operator who holds every
// key and lies.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseUtf8, sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { ledgerEntryBytes, parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { writeOts } from '@recordproof/shared/evidence/ots.ts';
import { fileToRoot } from '@recordproof/shared/evidence/ots-file-path.ts';
import { applyOperation } from '@recordproof/shared/evidence/ots-operations.ts';
import { addSignatureLines } from '@recordproof/shared/evidence/signed-note.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { afterAll, describe, expect, test } from 'vitest';
import {
  content,
  cosign,
  flip,
  issuedEntryOf,
  logSigner,
  makeProof,
  makeTree,
  makeWorld,
  policyText,
  signTree,
  times,
  toProof,
  witnesses,
} from '../../../test/support/existence-world.ts';
import { noteVerifiers, testSigner } from '../../../test/support/note-keys.ts';
import { bitcoinOts, headerLine } from '../../../test/support/ots-files.ts';
import { testWith } from '../../../test/support/programs.ts';
import { makeAuthority } from '../../../test/support/time-stamp-authority.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { describeExistence } from './describe-existence.ts';
import type { ExistenceInput } from './existence-input.ts';
import type { ExistenceReport } from './existence-report.ts';
import { judgeExistence } from './judge-existence.ts';
import { existenceToText } from './plain-text.ts';
import { parseRequirements } from './requirements.ts';

const toExistenceText = (report: ExistenceReport, language: Language = 'en') =>
  existenceToText(describeExistence(report, language));

const folder = mkdtempSync(join(tmpdir(), 'existence-'));
afterAll(() => rmSync(folder, { recursive: true }));

const platform = { ...nodePlatform, noteVerifiers, verifySignature };
const world = await makeWorld();
const at = (seconds: number) => new Date(seconds * 1000).toISOString();

async function judge(changes: Partial<ExistenceInput> & { bytes?: Uint8Array; require?: string } = {}) {
  const { bytes = content, require = '', ...rest } = changes;
  const required = require === '' ? [] : (parseRequirements(require) ?? []);
  const original = (async function* () {
    yield bytes;
  })();
  const given = { archive: world.archive, tlogProof: world.tlogProof, policy: toUtf8(policyText()), ...rest };
  return judgeExistence({ original, maxOriginalBytes: 2 ** 30, required, ...given }, platform);
}
const verdictOf = async (changes: Parameters<typeof judge>[0]) => {
  const { outcome, reason, existedNoLaterThan } = await judge(changes);
  return existedNoLaterThan === undefined ? [outcome, reason] : [outcome, existedNoLaterThan];
};

describe('honest evidence', () => {
  test('two of three witnesses: the second earliest time counts', async () => {
    const report = await judge();
    expect(report).toMatchObject({
      outcome: 'EXISTED',
      existedNoLaterThan: at(times[2]),
      schemaVersion: 'existence-report.v1',
    });
    expect(report.vouchers.map(({ kind, name, code }) => [kind, name, code])).toEqual([
      ...['one', 'two', 'three'].map(name => ['WITNESS', name, 'OK']),
      ['QUORUM', 'people', 'OK'],
    ]);
    const text = toExistenceText(report);
    expect(text).toMatch(/^EXISTED: these bytes existed no later than 2026-09-21 14:16:40 UTC\./);
    expect(text).toContain('+ witness two, 2026-09-21 14:15:00 UTC');
    expect(text).toContain('Rests on at most 1 of these being dishonest: one, two, three.');
    expect(text).toContain('on the word of the operator alone');
  });

  test('without trust material the report names the unchecked vouchers and the missing option', async () => {
    const report = await judge({ policy: undefined });
    expect([report.outcome, report.reason]).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    expect(report.vouchers).toEqual([]);
    expect(report.unchecked).toEqual(witnesses.map(({ name }) => ({ kind: 'WITNESS', name, needs: 'policy' })));
    const text = toExistenceText(report);
    expect(text).toContain('? witness one.example\n      It is there, but was not checked.');
    expect(text).toContain(': --policy FILE');
    expect(text).not.toContain('there is no voucher');
    expect(toExistenceText(report, 'zh')).toContain('：--policy FILE');

    const ots = writeOts(bitcoinOts(world.digest, [], 7));
    const block = await judge({ policy: undefined, tlogProof: undefined, ots });
    expect(block.unchecked).toEqual([{ kind: 'BITCOIN', name: 'block 7', needs: 'headers' }]);
    expect(toExistenceText(block)).toContain(': --bitcoin-headers FILE');
    const unvouched = await judge({ policy: undefined, tlogProof: toProof(world.tree, world.entry, world.signed) });
    expect(unvouched.unchecked).toBeUndefined();
    expect(toExistenceText(unvouched)).toContain('there is no voucher');
    expect((await judge()).unchecked).toBeUndefined();
  });

  test('an older proof is found by the root of its batch', async () => {
    const older = await makeWorld('batchEntry');
    expect(await verdictOf({ archive: older.archive, tlogProof: older.tlogProof })).toEqual(['EXISTED', at(times[2])]);
  });

  test('required vouchers are necessary, and their latest time counts', async () => {
    expect(await verdictOf({ require: 'witness:3' })).toEqual(['EXISTED', at(times[0])]);
    expect(await verdictOf({ require: 'witness' })).toEqual(['EXISTED', at(times[2])]);
    expect(await verdictOf({ require: 'witness:4' })).toEqual(['NOT_SHOWN', 'REQUIREMENT_NOT_MET']);
    expect(await verdictOf({ require: 'witness:2,rfc3161' })).toEqual(['NOT_SHOWN', 'REQUIREMENT_NOT_MET']);
    const emptyPolicy = toUtf8(policyText('quorum none\n'));
    expect(await verdictOf({ policy: emptyPolicy })).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    expect(await verdictOf({ policy: emptyPolicy, require: 'witness:1' })).toEqual(['EXISTED', at(times[1])]);
    for (const text of ['', 'witness:0', 'witness:65', 'witness,witness:2', 'rfc', 'rfc3161,', 'witness:2 '])
      expect([text, parseRequirements(text)]).toEqual([text, undefined]);
  });

  test('without trust material the result is NOT_SHOWN, without contradiction', async () => {
    expect(await verdictOf({ policy: undefined })).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    const other = toUtf8(policyText().replace(/^log .*$/m, ''));
    expect(await verdictOf({ policy: other })).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    expect(await verdictOf({ archive: undefined })).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    expect(await verdictOf({ tlogProof: undefined })).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  });

  test('damaged input is an error', async () => {
    expect(await verdictOf({ archive: world.archive.subarray(1) })).toEqual(['ERROR', 'ARCHIVE_DAMAGED']);
    expect(await verdictOf({ archive: 'UNREADABLE' })).toEqual(['ERROR', 'ARCHIVE_DAMAGED']);
    expect(await verdictOf({ tlogProof: world.tlogProof.subarray(1) })).toEqual(['ERROR', 'TLOG_PROOF_DAMAGED']);
    expect(await verdictOf({ policy: toUtf8('log\n') })).toEqual(['ERROR', 'POLICY_DAMAGED']);
    expect(await verdictOf({ roots: toUtf8('none') })).toEqual(['ERROR', 'ROOTS_DAMAGED']);
    expect(await verdictOf({ headers: toUtf8('none') })).toEqual(['ERROR', 'HEADERS_DAMAGED']);
    expect(await verdictOf({ ots: toUtf8('none') })).toEqual(['ERROR', 'OTS_DAMAGED']);
    expect(await verdictOf({ stamp: toUtf8('none') })).toEqual(['ERROR', 'STAMP_TRUNCATED']);
  });
});

describe('OpenTimestamps', () => {
  const { entries, entry, tree } = world;
  const { index, size: treeSize, path } = tree;
  const [fileHash, manifest] = [entries['file.hash'], entries['manifest.json']];
  const operations = fileToRoot({ fileHash, manifest, entry, index, treeSize, path });
  const seconds = 1_790_001_000;
  const ots = writeOts(bitcoinOts(world.digest, operations, 900_000));
  const headers = toUtf8(headerLine(900_000, tree.root, seconds));

  test('lead from the file to the root of the ledger, and count two hours after the block', async () => {
    const alone = { archive: undefined, tlogProof: undefined, policy: undefined, ots };
    expect(await verdictOf({ ...alone, headers })).toEqual(['EXISTED', at(seconds + 7200)]);
    expect(await verdictOf({ ots, headers, require: 'witness:2,bitcoin' })).toEqual(['EXISTED', at(seconds + 7200)]);
    expect(await verdictOf(alone)).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    expect(await verdictOf({ ...alone, headers: toUtf8(headerLine(7, tree.root, 1)) })).toEqual([
      'NOT_SHOWN',
      'NO_TRUSTED_VOUCHER',
    ]);
  });

  test('are rejected for an entry of another proof', () => {
    const other = { fileHash, manifest, index, treeSize, path };
    expect(() => fileToRoot({ ...other, entry: world.batchEntry })).toThrow(RangeError);
    expect(operations.reduce((message, step) => applyOperation(step, message), world.digest)).toEqual(tree.root);
  });

  test('of another file or block contradict', async () => {
    const other = writeOts(bitcoinOts(sha256(toUtf8('another')), operations, 900_000));
    expect(await verdictOf({ ots: other, headers })).toEqual(['CONTRADICTED', 'OTS_OF_OTHER_FILE']);
    const block = toUtf8(headerLine(900_000, sha256(tree.root), seconds));
    expect(await verdictOf({ ots, headers: block })).toEqual(['CONTRADICTED', 'BLOCK_MISMATCH']);
  });
});

describe('time stamps of an authority', () => {
  const authority = Promise.try(() => makeAuthority(folder));
  const test = testWith('openssl');

  test('count with a named root', async () => {
    const { stamp, roots } = await authority;
    const given = { stamp: stamp(world.stampDigest), roots, policy: undefined };
    const report = await judge(given);
    expect(report).toMatchObject({
      outcome: 'EXISTED',
      vouchers: [{ kind: 'RFC3161', name: 'Test authority', code: 'OK' }],
    });
    expect(await verdictOf({ ...given, roots: undefined })).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    expect((await judge({ ...given, require: 'rfc3161' })).outcome).toBe('EXISTED');
    expect(await verdictOf({ ...given, archive: undefined })).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  });

  test('of another checkpoint or with a changed signature contradict', async () => {
    const { stamp, roots } = await authority;
    const other = stamp(sha256(toUtf8('another checkpoint\n')));
    expect(await verdictOf({ stamp: other, roots })).toEqual(['CONTRADICTED', 'STAMP_IMPRINT']);
    const right = stamp(world.stampDigest);
    expect(await verdictOf({ stamp: flip(right, right.length - 1), roots })).toEqual([
      'CONTRADICTED',
      'STAMP_SIGNATURE',
    ]);
  });

  test('of another authority over a later checkpoint renew it, and the archive stays unchanged', async () => {
    const later = makeAuthority(mkdtempSync(join(folder, 'later-')));
    const tree = makeTree(world.entry, { size: 40 });
    const signed = await signTree(tree);
    const text = parseUtf8(signed).split('\n\n')[0];
    const renewed = { tlogProof: toProof(tree, world.entry, signed), stamp: later.stamp(sha256(toUtf8(`${text}\n`))) };
    const report = await judge({ ...renewed, roots: later.roots, policy: undefined });
    expect(report).toMatchObject({ outcome: 'EXISTED', checkpoint: { size: 40 } });
  });

  test('of an operator who is his own authority are ignored', async () => {
    const own = makeAuthority(mkdtempSync(join(folder, 'own-')));
    const { roots } = await authority;
    const given = { stamp: own.stamp(world.stampDigest), roots, policy: undefined };
    expect(await verdictOf(given)).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  });
});

describe('an operator who holds every key of the server', () => {
  const { tree, entry, signed, checkpoint, entries } = world;
  const contradicted = (code: string) => ['CONTRADICTED', code];
  const withCheckpoint = (note: Uint8Array) => ({ tlogProof: toProof(tree, entry, note) });

  test('presents other bytes than those of the proof', async () => {
    expect(await verdictOf({ bytes: flip(content, 7) })).toEqual(contradicted('ARCHIVE_CONTRADICTED'));
  });

  test('forges a cosignature', async () => {
    const forger = {
      ...testSigner('COSIGNATURE', 'forger'),
      name: 'one.example',
      publicKey: witnesses[0]?.publicKey ?? entry,
    };
    const forged = await cosign(signed, [forger]);
    expect(await verdictOf(withCheckpoint(forged))).toEqual(contradicted('COSIGNATURE_WRONG'));
  });

  test('replays cosignatures of another checkpoint', async () => {
    const other = await signTree(makeTree(entry, { word: 'other' }));
    const replayed = await cosign(signed, witnesses, other);
    expect(await verdictOf(withCheckpoint(replayed))).toEqual(contradicted('COSIGNATURE_WRONG'));
    const oneMore = await cosign(checkpoint, witnesses.slice(0, 1), other);
    expect(await verdictOf(withCheckpoint(oneMore))).toEqual(contradicted('COSIGNATURE_WRONG'));
  });

  test('presents the entry of another batch or proof', async () => {
    const other = await makeProof({ leafIndex: 3 });
    for (const foreign of [
      other.batchEntry,
      ledgerEntryBytes({ ...issuedEntryOf(entries), manifestSha256: `sha256:${'0'.repeat(64)}` } as never),
    ]) {
      const foreignTree = makeTree(foreign);
      const note = await cosign(await signTree(foreignTree));
      expect(await verdictOf({ tlogProof: toProof(foreignTree, foreign, note) })).toEqual(
        contradicted('ENTRY_OF_OTHER_PROOF'),
      );
    }
    const record = ledgerEntryBytes({ ...parseLedgerEntry(other.batchEntry), treeSize: 8 } as never);
    const recordTree = makeTree(record);
    const note = await cosign(await signTree(recordTree));
    expect(await verdictOf({ tlogProof: toProof(recordTree, record, note) })).toEqual(
      contradicted('ENTRY_OF_OTHER_PROOF'),
    );
  });

  test('presents an entry that is not in the tree', async () => {
    const without = makeTree(toUtf8('something else'));
    const note = await cosign(await signTree(without));
    expect(await verdictOf({ tlogProof: toProof(tree, entry, note) })).toEqual(contradicted('PATH_MISMATCH'));
  });

  test('rolls the ledger back to before the entry', async () => {
    const before = makeTree(toUtf8('entry 1'), { index: 1, size: 4 });
    const note = await cosign(await signTree(before));
    expect(await verdictOf({ tlogProof: toProof(tree, entry, note) })).toEqual(contradicted('PATH_MISMATCH'));
  });

  test('forks the ledger: the witnesses cosigned the other branch, so the result is NOT_SHOWN', async () => {
    const fork = makeTree(entry, { word: 'fork' });
    const note = await signTree(fork);
    expect(await verdictOf({ tlogProof: toProof(fork, entry, note) })).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  });

  test('removes the vouchers', async () => {
    expect(await verdictOf(withCheckpoint(signed))).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    const one = await cosign(signed, witnesses.slice(0, 1));
    expect(await verdictOf(withCheckpoint(one))).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
    const report = await judge(withCheckpoint(one));
    expect(report.vouchers.at(-1)).toMatchObject({ kind: 'QUORUM', code: 'QUORUM_NOT_REACHED' });
  });

  test('presents witnesses of his own', async () => {
    const own = ['own1', 'own2'].map(name => testSigner('COSIGNATURE', `${name}.example`));
    expect(await verdictOf(withCheckpoint(await cosign(signed, own)))).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  });

  test('signs with another key of the same log, or incorrectly', async () => {
    const wrong = addSignatureLines(await signTree(makeTree(entry, { word: 'other' })), await cosignLines(signed));
    expect((await judge(withCheckpoint(wrong))).outcome).toBe('CONTRADICTED');
    const impostor = testSigner('ED25519', 'impostor.example');
    const note = await cosign(await signTree(tree, { ...impostor, name: logSigner.name }));
    expect(await verdictOf(withCheckpoint(note))).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  });

  test('sets the clock back: the entry says 2019, the witnesses do not', async () => {
    const backdated = ledgerEntryBytes({ ...issuedEntryOf(entries), recordedAt: '2019-01-01T00:00:00.000Z' });
    const old = makeTree(backdated);
    const note = await cosign(await signTree(old));
    const report = await judge({ tlogProof: toProof(old, backdated, note) });
    expect(report).toMatchObject({
      existedNoLaterThan: at(times[2]),
      entry: { recordedAt: '2019-01-01T00:00:00.000Z' },
    });
  });
});

test('no changed byte of archive or proof makes the file older', async () => {
  const honest = at(times[2]);
  const proofs = Array.from({ length: 40 }, (_, i) =>
    flip(world.tlogProof, Math.floor((i * world.tlogProof.length) / 40)),
  );
  const archives = Array.from({ length: 40 }, (_, i) =>
    flip(world.archive, Math.floor((i * world.archive.length) / 40)),
  );
  for (const changes of [...proofs.map(tlogProof => ({ tlogProof })), ...archives.map(archive => ({ archive }))]) {
    const { outcome, existedNoLaterThan = honest } = await judge(changes);
    expect([outcome, existedNoLaterThan >= honest]).toEqual([outcome, true]);
    if ('archive' in changes) expect(['ERROR', 'CONTRADICTED']).toContain(outcome);
  }
});

/** The signature lines that witnesses made for this note. */
async function cosignLines(note: Uint8Array): Promise<string> {
  const whole = Buffer.from(await cosign(note)).toString();
  return whole.slice(Buffer.from(note).toString().length);
}
