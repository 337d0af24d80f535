// The audit of a ledger by its command, against an operator who writes what he likes with the true key.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { parseHex, parseUtf8, sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { entryTransactionHash } from '@recordproof/shared/evidence/ledger-entry.ts';
import { isContradiction } from '@recordproof/shared/evidence/log-contradiction.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { parseSignedNote, parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { isProofOf, parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Audits, at, honest, openAudits, runVerifier } from '../../../test/support/audit-runs.ts';
import { testSigner } from '../../../test/support/note-keys.ts';
import {
  batchEntry,
  cosignAt,
  fileEntry,
  OperatorLog,
  operatorKey,
  writeEntry,
} from '../../../test/support/operator-log.ts';
import { testWith } from '../../../test/support/programs.ts';
import { makeAuthority } from '../../../test/support/time-stamp-authority.ts';
import { nodePlatform } from '../node/node-platform.ts';
import type { AuditReport } from './audit-report.ts';

let audits: Audits;
beforeEach(async () => {
  audits = await openAudits();
});
afterEach(() => audits[Symbol.asyncDispose]());

const run = (...args: string[]) => runVerifier('audit', ...args);
const audit = (...args: string[]) => audits.audit(...args);
const show = (entries: readonly Uint8Array[]) => audits.show(entries);
const { path, keep } = {
  path: (name: string) => audits.path(name),
  keep: (name: string, content: string) => audits.keep(name, content),
};

test('a valid ledger: the checkpoint is stored, and the next audit is consistent with it', async () => {
  const first = await audit('--keep', path('kept'));
  expect([first.code, first.found]).toEqual([0, []]);
  expect(first.report).toMatchObject({
    outcome: 'SOUND',
    schemaVersion: 'audit-report.v1',
    entriesRead: 600,
    entriesByKind: { FILE_RECORD: 540, BATCH_ROOT: 60 },
    firstRecordedAt: at(0),
    lastRecordedAt: at(599),
    keptFile: path('kept'),
  });
  expect(readFileSync(path('kept'), 'utf8')).toBe(await audits.log.sign());
  await show(honest(700));
  const next = await audit('--since', path('kept'), '--keep', path('kept'));
  expect([next.code, next.report.comparedSizes]).toEqual([0, [600]]);
  expect(readFileSync(path('kept'), 'utf8')).toBe(await new OperatorLog(honest(700)).sign());
});

test('a rewritten history is a contradiction, and the written file is a self-contained proof of it', async () => {
  const since = keep('kept', await audits.log.sign());
  await show(honest(650).with(100, fileEntry(99_999, at(100))));
  const { code, report, found } = await audit('--since', since, '--keep', path('next'));
  expect([code, found]).toEqual([2, ['LOG_REWRITTEN']]);
  const file = JSON.parse(readFileSync(report.evidenceFile ?? '', 'utf8'));
  const opened = (note: string) =>
    openCheckpoint(Buffer.from(note), parseVerifierKey(file.key), nodePlatform.verifyEd25519);
  const pair = [await opened(file.older), await opened(file.newer)] as const;
  const nodes = file.nodes.map((node: { hash: string }) => ({ ...node, hash: parseHex(node.hash) }));
  expect([file.isProof, isContradiction(pair, nodes)]).toEqual([true, true]);
  expect(readdirSync(audits.folder)).not.toContain('next');
});

test('a shortened ledger and a fork of the same size are contradictions', async () => {
  const since = keep('kept', await audits.log.sign());
  await show(honest(500));
  expect((await audit('--since', since)).found).toEqual(['LOG_WENT_BACK']);
  await show(honest(600).with(599, batchEntry(1234, at(599))));
  expect((await audit('--since', since)).found).toEqual(['LOG_REWRITTEN']);
});

test.each([
  ['BATCH_TWICE', [batchEntry(9, at(600), { merkleRoot: 'ab'.repeat(32) })], [9, 600]],
  ['RECORD_TWICE', [fileEntry(7, at(600))], [7, 600]],
  ['TIME_WENT_BACK', [fileEntry(7000, at(-1_000_000))], [599, 600]],
  ['TIME_IN_FUTURE', [fileEntry(7000, '2199-01-01T00:00:00.000Z')], [600]],
  ['ENTRY_MALFORMED', [toUtf8('{"kind":"FILE_RECORD"}')], [600]],
  ['ENTRY_MALFORMED', [writeEntry(at(600), { kind: 'BATCH_ROOT', batchNo: 'MB-1' })], [600]],
  ['ENTRY_MALFORMED', [toUtf8('no JSON')], [600]],
] as const)('%s is a contradiction, shown by the entries under the checkpoint', async (code, added, positions) => {
  const entries = [...audits.log.entries, ...added];
  await show(entries);
  const { code: exitCode, report, found } = await audit('--keep', path('kept'));
  expect([exitCode, found, report.findings[0]?.positions]).toEqual([2, [code], positions]);
  expect(readdirSync(audits.folder)).not.toContain('kept');
  const file = JSON.parse(readFileSync(report.evidenceFile ?? '', 'utf8'));
  const proofs = (file.findings[0].proofs as string[]).map(proof => parseTlogProof(toUtf8(proof)));
  expect(proofs.map(({ index }) => index)).toEqual(positions);
  for (const proof of proofs) {
    expect(Buffer.from(proof.extra ?? '')).toEqual(Buffer.from(entries[proof.index] ?? ''));
    expect(isProofOf(hashLeaf(proof.extra ?? toUtf8('')), proof)).toBe(true);
    const signed = await openCheckpoint(proof.checkpoint, parseVerifierKey(file.key), nodePlatform.verifyEd25519);
    expect(signed.size).toBe(entries.length);
  }
});

test('a contradiction is reported also when the ledger serves its entries only once, or no evidence can be written', async () => {
  await show([...audits.log.entries, batchEntry(9, at(600))]);
  const whole = audits.site.files;
  let reads = 0;
  let servesHashes = true;
  const isWithheld = (path: string) =>
    path === 'ledger/tile/entries/000' ? ++reads > 1 : !servesHashes && /^ledger\/tile\/[01]\//.test(path);
  Object.defineProperty(audits.site, 'files', {
    get: () => (isWithheld(audits.site.asked.at(-1) ?? '') ? new Map() : whole),
  });
  const { code, report, found } = await audit();
  const shown = ({ evidenceFile = '' }: AuditReport): number[] =>
    JSON.parse(readFileSync(evidenceFile, 'utf8')).findings[0].proofs.map(
      (proof: string) => parseTlogProof(toUtf8(proof)).index,
    );
  expect([code, found, shown(report)]).toEqual([2, ['BATCH_TWICE'], [600]]);
  reads = 0;
  servesHashes = false;
  expect(shown((await audit('--mirror', path('copy'))).report)).toEqual([9, 600]);
  writeFileSync(join(path('copy'), 'checkpoint'), whole.get('checkpoint') ?? '');
  await run(path('copy'), '--key', audits.log.key, '--evidence', path('copy'));
  const evidence = readdirSync(path('copy')).find(name => name.endsWith('.audit-evidence.json'));
  expect(shown({ evidenceFile: join(path('copy'), evidence ?? '') } as AuditReport)).toEqual([9, 600]);
  reads = 0;
  const unwritten = await run(audits.site.url, '--key', audits.log.key, '--compare', '0', '--evidence', path('absent'));
  expect([unwritten.code, unwritten.stderr]).toEqual([
    2,
    `The evidence could not be written to ${path('absent')} (ENOENT).\n`,
  ]);
  expect(unwritten.stdout).toContain('[BATCH_TWICE]');
});

test('entries that are no longer served are asked for three times, and the contradictions are reported', async () => {
  await show([...audits.log.entries, ...Array.from({ length: 9 }, (_, i) => fileEntry(i, at(600 + i)))]);
  const whole = audits.site.files;
  const askedEntries = () => audits.site.asked.filter(asked => asked.startsWith('ledger/tile/entries/')).length;
  Object.defineProperty(audits.site, 'files', { get: () => (askedEntries() > 3 ? new Map() : whole) });
  const { code, report } = await audit();
  expect([code, report.findings.length, askedEntries()]).toEqual([2, 9, 6]);
  const { findings } = audits.readEvidence(report) as { findings: { proofs: string[] }[] };
  expect(findings.map(({ proofs }) => proofs)).toEqual(Array.from({ length: 9 }, () => []));
});

test('an entry of an unknown kind is reported, not a contradiction', async () => {
  await show([...audits.log.entries, writeEntry(at(600), { kind: 'LATER', number: 1 })]);
  const { code, found, report } = await audit();
  expect([code, found, report.outcome]).toEqual([3, ['ENTRY_UNKNOWN_KIND'], 'INCOMPLETE']);
});

test('withheld tiles are reported, and tiles with other entries are a contradiction', async () => {
  const bundle = audits.site.files.get('tile/entries/001');
  audits.site.files.delete('tile/entries/001');
  expect(await audit()).toMatchObject({ code: 3, found: ['TILES_WITHHELD'] });
  audits.site.files.set('tile/entries/001', (bundle ?? toUtf8('')).with(100, 0x41));
  expect(await audit()).toMatchObject({ code: 2, found: ['TILES_MISMATCH'] });
});

test('an unreachable ledger exits with 69, never with 0', async () => {
  audits.site.files.clear();
  expect(await run(audits.site.url, '--key', audits.log.key)).toMatchObject({ code: 69, stdout: '' });
  expect(await run('http://127.0.0.1:1', '--key', audits.log.key)).toMatchObject({ code: 69, stdout: '' });
  expect((await run(path('nowhere'), '--key', audits.log.key)).code).toBe(69);
});

test('a missing key, another key and a forged signature are reported', async () => {
  const fixed = ['--compare', '0', '--format', 'json', '--evidence', audits.folder];
  const unpinned = await run(audits.site.url, ...fixed);
  expect([unpinned.code, JSON.parse(unpinned.stdout).findings[0].code]).toEqual([3, 'KEY_NOT_PINNED']);
  const other = new OperatorLog([], testSigner('ED25519', operatorKey.name.replace('operator', 'other')));
  const strange = await run(audits.site.url, ...fixed, '--key', other.key);
  expect([strange.code, JSON.parse(strange.stdout).findings[0].code]).toEqual([3, 'LOG_UNSIGNED']);
  audits.site.files.set('checkpoint', toUtf8((await audits.log.sign()).replace('\n600\n', '\n599\n')));
  expect(await audit()).toMatchObject({ code: 2, found: ['LOG_SIGNATURE_WRONG'] });
});

const witnesses = ['one', 'two', 'three'].map(name => testSigner('COSIGNATURE', `${name}.example`));
const policyFor = (logKey = operatorKey) =>
  [
    `log ${toTypedKeyText(logKey)}`,
    ...witnesses.map(key => `witness ${key.name.split('.')[0]} ${toTypedKeyText(key)}`),
    'group people 2 one two three',
    'quorum people',
    '',
  ].join('\n');

test('witnesses: the quorum is reported; an entry dated after they saw it is a contradiction', async () => {
  const policy = ['--policy', keep('policy', policyFor()), '--wait', '0'];
  const bare = await audit(...policy);
  expect([bare.code, bare.found]).toEqual([3, ['QUORUM_NOT_REACHED']]);
  audits.site.files.set('checkpoint', toUtf8(await cosignAt(await audits.log.sign(), witnesses.slice(1), at(600))));
  const sound = await audit(...policy);
  expect([sound.code, sound.report.quorum]).toEqual([0, { name: 'people', isReached: true, time: at(600) }]);
  audits.site.files.set('checkpoint', toUtf8(await cosignAt(await audits.log.sign(), witnesses.slice(1), at(590))));
  const late = await audit(...policy);
  expect([late.code, new Set(late.found)]).toEqual([2, new Set(['TIME_AFTER_VOUCHER'])]);
});

test('many stored checkpoints: tiles are read once, and an entry is reported once, for the strictest of them', async () => {
  const keepCosigned = async (name: string, sizes: readonly number[], time: (size: number) => string) => {
    const lines = sizes.map(async size => {
      const note = await cosignAt(await audits.log.sign(size), witnesses.slice(0, 1), time(size));
      return `${JSON.stringify({ key: audits.log.key, note })}\n`;
    });
    return keep(name, (await Promise.all(lines)).join(''));
  };
  const policy = ['--policy', keep('policy', policyFor()), '--wait', '0', '--since'];
  const sizes = Array.from({ length: 60 }, (_, i) => 400 + 3 * i);
  const sound = await audit(...policy, await keepCosigned('kept', sizes, at));
  expect([sound.found, sound.report.comparedSizes]).toEqual([['QUORUM_NOT_REACHED'], sizes]);
  expect(audits.site.asked.filter(asked => asked.startsWith('ledger/tile/')).length).toBeLessThan(20);
  const { report } = await audit(...policy, await keepCosigned('late', [403, 406, 409], () => at(398)));
  const late = report.findings.filter(({ code }) => code === 'TIME_AFTER_VOUCHER');
  expect(late.flatMap(({ positions }) => positions)).toEqual([400, 401, 402, 403, 404, 405, 406, 407, 408]);
});

test('a tile that is not served once does not keep any checkpoint from being compared', async () => {
  const since = [400, 500].map(async size => ['--since', keep(`kept-${size}`, await audits.log.sign(size))]);
  const whole = audits.site.files;
  const asked = () => audits.site.asked.at(-1) ?? '';
  const isFirst = () => audits.site.asked.indexOf(asked()) === audits.site.asked.length - 1;
  Object.defineProperty(audits.site, 'files', {
    get: () => (asked().startsWith('ledger/tile/0/') && isFirst() ? new Map() : whole),
  });
  const { code, report } = await audit(...(await Promise.all(since)).flat());
  expect([code, report.comparedSizes]).toEqual([0, [400, 500]]);
});

test('witnesses: an entry dated before a checkpoint that they cosigned without it is reported', async () => {
  const since = keep('kept', await cosignAt(await audits.log.sign(), witnesses, at(900)));
  await show([...audits.log.entries, fileEntry(7000, at(800)), fileEntry(7001, at(899))]);
  const { code, report, found } = await audit('--policy', keep('policy', policyFor()), '--wait', '0', '--since', since);
  expect([code, new Set(found)]).toEqual([3, new Set(['QUORUM_NOT_REACHED', 'TIME_BEFORE_WITNESS'])]);
  expect(new Set(report.findings.flatMap(({ positions }) => positions))).toEqual(new Set([600]));
});

testWith('openssl')(
  'time stamps of the server count like those in files, and are requested only with roots',
  async () => {
    const authority = makeAuthority(mkdtempSync(join(audits.folder, 'authority-')));
    const roots = keep('roots.pem', parseUtf8(authority.roots));
    expect((await audit('--tsa-roots', roots)).found).toEqual(['STAMP_UNUSABLE']);
    const stampOf = (note: string) => authority.stamp(sha256(toUtf8(parseSignedNote(toUtf8(note)).text)));
    const answer = (size: number, note: string, stamp: Uint8Array) => {
      const stamps = [{ authority: 'tsa.example', tsr: Buffer.from(stamp).toString('base64') }];
      return toUtf8(
        JSON.stringify({ code: 200, message: 'OK', data: { checkpoints: [{ size, checkpoint: note, stamps }] } }),
      );
    };
    const note = await audits.log.sign(550);
    audits.site.files.set('stamps', answer(550, note, stampOf(note)));
    const { code, report } = await audit('--tsa-roots', roots);
    expect([code, report.stamps.length, report.comparedSizes]).toEqual([0, 1, [550]]);
    expect((await audit()).report.stamps).toEqual([]);
    const forked = await new OperatorLog(honest(550).with(3, fileEntry(5000, at(3)))).sign();
    audits.site.files.set('stamps', answer(550, forked, stampOf(forked)));
    expect((await audit('--tsa-roots', roots)).found).toEqual(['LOG_REWRITTEN']);
    const later = await new OperatorLog(honest(700)).sign();
    audits.site.files.set('stamps', answer(700, later, stampOf(later)));
    expect((await audit('--tsa-roots', roots)).found).toEqual([]);
    audits.site.files.set('stamps', toUtf8('{"data":{"checkpoints":[{}]}}'));
    expect((await audit('--tsa-roots', roots)).found).toEqual(['STAMP_UNUSABLE']);
  },
);

test('a cosignature of another checkpoint is a contradiction', async () => {
  const other = await cosignAt(await new OperatorLog(honest(599)).sign(), witnesses, at(600));
  audits.site.files.set('checkpoint', toUtf8((await audits.log.sign()) + other.split('\n').slice(-4).join('\n')));
  expect(await audit('--policy', keep('policy', policyFor()))).toMatchObject({ code: 2, found: ['COSIGNATURE_WRONG'] });
});

/** As an honest server answers for one of its batches. */
function rootAnswer(batchNo: string) {
  const blockNumber = Number(batchNo.slice('MB-'.length));
  const entry = audits.log.entries[blockNumber] ?? toUtf8('');
  const merkleRoot = blockNumber.toString(16).padStart(64, '0');
  const chain = { schemaVersion: 'service-chain-root-resolution.v1', ...ledgerIdentity(operatorKey.publicKey) };
  return { ...chain, batchNo, merkleRoot, blockNumber, transactionHash: entryTransactionHash(entry) };
}

test('root responses of the server are compared with the entries', async () => {
  const compare = () => audit('--compare', '1000');
  const withheld = await compare();
  expect([withheld.code, withheld.found]).toEqual([3, Array(60).fill('ANSWER_WITHHELD')]);
  const paths = audits.site.asked.filter(one => one.startsWith('api/v1/public/chain-roots/LOCAL_LEDGER/'));
  const answer = (path: string, changes = {}) =>
    audits.site.files.set(path, toUtf8(JSON.stringify({ ...rootAnswer(path.split('/').at(-1) ?? ''), ...changes })));
  for (const path of paths) answer(path);
  const sound = await compare();
  expect([sound.code, sound.found, sound.report.answersCompared]).toEqual([0, [], 60]);
  answer(paths[7] ?? '', { merkleRoot: 'ab'.repeat(32) });
  expect(await compare()).toMatchObject({ code: 2, found: ['ANSWER_MISMATCH'] });
  expect((await audit('--compare', '6')).report.answersCompared).toBe(6);
});

test('a copy grows with each audit, is not downloaded again, and can be audited offline', async () => {
  expect((await audit('--mirror', path('copy'))).code).toBe(0);
  audits.site.asked.length = 0;
  await show(honest(700));
  const next = await audit('--mirror', path('copy'));
  expect([next.code, next.report.comparedSizes]).toEqual([0, [600]]);
  expect(audits.site.asked).not.toContain('ledger/tile/entries/000');
  const offline = await run(path('copy'), '--key', audits.log.key, '--format', 'json');
  expect([offline.code, JSON.parse(offline.stdout).entriesRead]).toEqual([0, 700]);
  writeFileSync(join(path('copy'), 'tile/entries/000'), 'damaged');
  expect((await audit('--mirror', path('copy'))).code).toBe(0);
  await show(honest(710).with(3, fileEntry(7000, at(3))));
  expect(await audit('--mirror', path('copy'))).toMatchObject({ code: 2, found: ['LOG_REWRITTEN'] });
});

test('stored checkpoints are read in several forms', async () => {
  const note = await new OperatorLog(honest(300)).sign();
  const lines = `${JSON.stringify({ seenAt: at(0), key: audits.log.key, note })}\n{"cut`;
  expect((await audit('--since', keep('lines', lines))).report.comparedSizes).toEqual([300]);
  const foreign = await new OperatorLog(honest(10), testSigner('ED25519', 'x.example/log')).sign();
  expect(await audit('--since', keep('foreign', foreign))).toMatchObject({ code: 3, found: ['KEPT_UNUSABLE'] });
  expect((await run(audits.site.url, '--since', keep('nonsense', '{}\n'))).code).toBe(64);
  expect((await run(audits.site.url, '--since', path('absent'))).code).toBe(64);
});

test('the report is written in two languages', async () => {
  await show([...audits.log.entries, batchEntry(9, at(600))]);
  mkdirSync(path('out'));
  const fixed = [audits.site.url, '--key', audits.log.key, '--compare', '0', '--evidence', path('out')];
  const english = await run(...fixed);
  expect(english.stdout).toContain('! The batch MB-9 is recorded twice, in entries 9 and 600. [BATCH_TWICE]');
  expect(english.stdout.trimEnd().split('\n').at(-1)).toMatch(/^Result: CONTRADICTED\. /);
  const chinese = await run(...fixed, '--language', 'zh');
  expect(chinese.stdout).toContain('! 批次 MB-9 在条目 9 和 600 中记录了两次。 [BATCH_TWICE]');
  expect(chinese.stdout.trimEnd().split('\n').at(-1)).toMatch(/^结果：CONTRADICTED。/);
  expect(english.stdout.split('\n').length).toBeLessThan(24);
});

test('wrong usage exits with 64', async () => {
  for (const args of [
    [],
    [audits.site.url, '--key', 'nonsense'],
    [audits.site.url, '--stamp', 'x'],
    [audits.folder, '--mirror', 'x'],
    [audits.site.url, '--language', 'fr'],
    [audits.site.url, '--compare', '-1'],
  ])
    expect([args, (await run(...args)).code]).toEqual([args, 64]);
});
