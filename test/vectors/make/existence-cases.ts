// Writes test/vectors/existence.json: files with what lies beside them, what a reader trusts, and what a reader must say. Run
// once, the result is frozen and committed: `node test/vectors/make/existence-cases.ts`. Signatures of openssl and of ML-DSA-44
// differ with each run. The ten cases of checkpoints follow the kinds that the Sigstore conformance suite has.
import { writeFileSync } from 'node:fs';
import { signCosignatureLine } from '@recordproof/shared/evidence/cosignature.ts';
import { concatBytes, parseUtf8, sha256, toBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { ledgerEntryBytes, parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { addSignatureLines, parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { type CaseFileName, type CaseFiles, type ExistenceCase, judgeCase } from '../../support/existence-cases.ts';
import {
  cosign,
  flip,
  issuedEntryOf,
  logSigner,
  makeProof,
  makeTree,
  policyText,
  signTree,
  times,
  toProof,
  witnesses,
} from '../../support/existence-world.ts';
import { postQuantumSigner, testSigner } from '../../support/note-keys.ts';
import { someContent } from '../../support/proofs.ts';
import { evidenceCases } from './existence-evidence.ts';
import { otsCases } from './existence-ots.ts';
import { makeStamper, makeStamps } from './existence-stamps.ts';

const content = someContent(3000);
const plan = { content, chunkSize: 1000 };
const proof = await makeProof(plan);
const entry = proof.issuedEntry;
const tree = makeTree(entry);
const signed = await signTree(tree);
const checkpoint = await cosign(signed);
const text = parseUtf8(checkpoint);
const [ownLine = '', ...cosigned] = text.slice(text.indexOf('\n\n') + 2).split(/(?<=\n)/);
const textDigest = sha256(toUtf8(parseSignedNote(checkpoint).text));
const at = (index: number): number => 1000 * (times[index] ?? 0);

const policy = toUtf8(policyText());
const whole: CaseFiles = {
  original: content,
  archive: proof.archive,
  tlogProof: toProof(tree, entry, checkpoint),
  policy,
};

const files: Record<string, string> = {};
const cases: ExistenceCase[] = [];

/** Each content once, under the name that it got first. */
function nameFile(kind: CaseFileName, bytes: Uint8Array): string {
  const base64 = toBase64(bytes);
  const known = Object.entries(files).find(([, other]) => other === base64)?.[0];
  const name = known ?? `${kind} ${Object.keys(files).length}`;
  files[name] = base64;
  return name;
}

export type Expected = readonly [outcome: string, reasonOrTime?: string | number];
export type Changes = { readonly [Name in CaseFileName]?: Uint8Array | undefined } & { readonly require?: string };

/** `expected` is by hand; the codes of links and vouchers are ours, and the second reader has to find the same. */
async function say(name: string, [outcome, more]: Expected, { require, ...changes }: Changes = {}): Promise<void> {
  const given = Object.entries({ ...whole, ...changes }).filter(([, bytes]) => bytes !== undefined);
  const named = given.map(([kind, bytes]) => [kind, nameFile(kind as CaseFileName, bytes as Uint8Array)]);
  const expected = await judgeCase(Object.fromEntries(given) as CaseFiles, require);
  const isRight = expected.outcome === outcome && (more === undefined || more === (expected.reason ?? expected.time));
  if (!isRight) throw new Error(`${name}: ${JSON.stringify(expected)}`);
  cases.push({ name, given: Object.fromEntries(named), ...(require === undefined ? {} : { require }), expected });
}

const existed = (time?: number): Expected => (time === undefined ? ['EXISTED'] : ['EXISTED', time]);
const notShown: Expected = ['NOT_SHOWN', 'NO_TRUSTED_VOUCHER'];
const notMet: Expected = ['NOT_SHOWN', 'REQUIREMENT_NOT_MET'];
const contradicted = (reason: string): Expected => ['CONTRADICTED', reason];
const error = (reason: string): Expected => ['ERROR', reason];

const withNote = (note: Uint8Array | string) => ({
  tlogProof: toProofText(typeof note === 'string' ? toUtf8(note) : note),
});
/** Also around what is no checkpoint. */
function toProofText(note: Uint8Array): Uint8Array {
  const honest = parseUtf8(toProof(tree, entry, checkpoint));
  return concatBytes(toUtf8(honest.slice(0, honest.indexOf('\n\n') + 2)), note);
}
const body = text.slice(0, text.indexOf('\n\n') + 2);
const onlyOne = toUtf8(policyText('quorum one\n'));

// Checkpoints.
await say('a checkpoint that one witness cosigned', existed(at(0)), {
  ...withNote(body + ownLine + cosigned[0]),
  policy: onlyOne,
});
await say('a checkpoint with several cosignatures: the second earliest time', existed(at(2)));
await say('the line of the log is not the first', existed(at(2)), withNote(body + cosigned.join('') + ownLine));
const strange = testSigner('ED25519', 'strange');
const impostor = parseUtf8(await signTree(tree, { ...strange, name: logSigner.name }));
const impostorLine = impostor.slice(impostor.indexOf('\n\n') + 2);
await say(
  'two signatures under the name of the log, one by a key that is not trusted',
  notShown,
  withNote(body + impostorLine + ownLine),
);
await say('the same, cosigned', existed(at(2)), withNote(body + impostorLine + ownLine + cosigned.join('')));
await say('without the signature of the log', ['NOT_SHOWN'], withNote(body + cosigned.join('')));
await say('no signature by a key that is trusted', ['NOT_SHOWN'], withNote(impostor));
const [origin = '', size = '', root = ''] = body.split('\n');
for (const [what, lines] of [
  ['origin', [size, root]],
  ['size', [origin, root]],
  ['root hash', [origin, size]],
] as const)
  await say(`without the ${what}`, error('TLOG_PROOF_DAMAGED'), withNote(`${lines.join('\n')}\n\n${ownLine}`));
await say(
  'a wrong signature of the log',
  contradicted('LOG_SIGNATURE_WRONG'),
  withNote(body.replace(`\n${size}\n`, '\n10\n') + ownLine),
);
const elsewhere = await signTree(makeTree(entry, { word: 'other' }));
await say(
  'cosignatures of another checkpoint',
  contradicted('COSIGNATURE_WRONG'),
  withNote(await cosign(signed, witnesses, elsewhere)),
);
await say(
  'one of them twice, the second of another checkpoint',
  contradicted('COSIGNATURE_WRONG'),
  withNote(await cosign(checkpoint, witnesses.slice(0, 1), elsewhere)),
);
await say('no cosignature', notShown, withNote(signed));
await say('one of three', notShown, withNote(body + ownLine + cosigned[1]));
await say(
  'witnesses that nobody trusts',
  notShown,
  withNote(
    await cosign(
      signed,
      ['a', 'b'].map(name => testSigner('COSIGNATURE', name)),
    ),
  ),
);
const timeless = async (seconds: number) => {
  const lines = await Promise.all(
    witnesses.map(signer => signCosignatureLine(parseSignedNote(signed).text, signer, seconds)),
  );
  return addSignatureLines(signed, lines.join(''));
};
await say('cosignatures without a time', notShown, withNote(await timeless(0)));
await say('cosignatures of the last second that a date can hold', existed(8.64e15), withNote(await timeless(8.64e12)));
const quantum = postQuantumSigner('quantum.example');
const quantumPolicy = toUtf8(`log ${toTypedKeyText(logSigner)}\nwitness q ${toTypedKeyText(quantum)}\nquorum q\n`);
const quantumLine = await signCosignatureLine(parseSignedNote(signed).text, quantum, 1_790_000_777);
await say('a witness with a key of type 0x06', existed(1_790_000_777_000), {
  ...withNote(addSignatureLines(signed, quantumLine)),
  policy: quantumPolicy,
});

// Policies and requirements.
await say('no policy', notShown, { policy: undefined });
await say('a policy that breaks a rule', error('POLICY_DAMAGED'), { policy: toUtf8('log\n') });
await say('a policy without this log', notShown, { policy: toUtf8(policyText().replace(/^log .*$/m, '')) });
const emptyPolicy = toUtf8(policyText('quorum none\n'));
await say('quorum none', notShown, { policy: emptyPolicy });
await say('quorum none, and one witness is asked for', existed(at(1)), { policy: emptyPolicy, require: 'witness' });
await say('two witnesses are asked for', existed(at(2)), { require: 'witness:2' });
await say('three witnesses are asked for', existed(at(0)), { require: 'witness:3' });
await say('one witness is asked for, and the quorum is later', existed(at(2)), { require: 'witness:1' });
await say('four witnesses are asked for', notMet, { require: 'witness:4' });
await say('a time stamp is asked for, too', notMet, { require: 'witness:2,rfc3161' });
await say('witnesses are asked for, and the quorum is missing', notMet, {
  ...withNote(body + ownLine + cosigned[1]),
  require: 'witness',
});

// From the file to the checkpoint.
const older = makeTree(proof.batchEntry);
const olderNote = await cosign(await signTree(older));
await say('an older proof, by the entry of its batch', existed(at(2)), {
  tlogProof: toProof(older, proof.batchEntry, olderNote),
});
const another = await makeProof({ ...plan, leafIndex: 3 });
async function about(foreign: Uint8Array): Promise<Changes> {
  const foreignTree = makeTree(foreign);
  return { tlogProof: toProof(foreignTree, foreign, await cosign(await signTree(foreignTree))) };
}
const ofOther = contradicted('ENTRY_OF_OTHER_PROOF');
await say('the entry of another batch', ofOther, await about(another.batchEntry));
await say('the entry of another proof', ofOther, await about(another.issuedEntry));
const changedEntry = (bytes: Uint8Array, changes: object) =>
  ledgerEntryBytes({ ...parseLedgerEntry(bytes), ...changes } as Parameters<typeof ledgerEntryBytes>[0]);
await say(
  'the entry of this batch with another size',
  ofOther,
  await about(changedEntry(proof.batchEntry, { treeSize: 8 })),
);
await say(
  'the entry of this proof with another manifest',
  ofOther,
  await about(changedEntry(issuedBytes(), { manifestSha256: `sha256:${'0'.repeat(64)}` })),
);
function issuedBytes(): Uint8Array {
  return ledgerEntryBytes(issuedEntryOf(proof.entries));
}
await say(
  'a date of 2019 in the entry: the witnesses decide',
  existed(at(2)),
  await about(changedEntry(entry, { recordedAt: '2019-01-01T00:00:00.000Z' })),
);
await say('an entry that is no entry', error('ENTRY_DAMAGED'), await about(toUtf8('{"kind":"PROOF_ISSUED"}')));
await say(
  'an entry with spaces in it',
  error('ENTRY_DAMAGED'),
  await about(toUtf8(parseUtf8(entry).replace(',', ', '))),
);
const proofText = parseUtf8(whole.tlogProof ?? content);
await say('a proof without the entry', notShown, { tlogProof: toUtf8(proofText.replace(/^extra .*\n/m, '')) });
await say('a proof with another position', contradicted('PATH_MISMATCH'), {
  tlogProof: toUtf8(proofText.replace(/^index 5$/m, 'index 4')),
});
await say('a proof with a shorter path', contradicted('PATH_MISMATCH'), {
  tlogProof: toUtf8(proofText.replace(/(?<=^index 5\n).*\n/m, '')),
});
const without = makeTree(toUtf8('something else'));
await say('an entry that is not in the tree', contradicted('PATH_MISMATCH'), {
  tlogProof: toProof(tree, entry, await cosign(await signTree(without))),
});
await say('a proof that is cut off', error('TLOG_PROOF_DAMAGED'), { tlogProof: toUtf8(proofText.slice(0, -1)) });
await say('no proof of the entry', notShown, { tlogProof: undefined });
await say('no archive', notShown, { archive: undefined });
await say('an archive that is cut off', error('ARCHIVE_DAMAGED'), { archive: proof.archive.subarray(0, 900) });
await say('other bytes than those of the archive', contradicted('ARCHIVE_CONTRADICTED'), {
  original: flip(content, 7),
});
await say('longer than the file of the archive', contradicted('ARCHIVE_CONTRADICTED'), {
  original: concatBytes(content, content),
});

// Time stamps of authorities.
const outcomes: Record<string, Expected> = {
  OK: existed(),
  STAMP_IMPRINT: contradicted('STAMP_IMPRINT'),
  STAMP_SIGNATURE: contradicted('STAMP_SIGNATURE'),
};
const stamps = makeStamps(textDigest);
for (const [name, { stamp, roots, code }] of Object.entries(stamps)) {
  const isDamaged = ['STAMP_TRUNCATED', 'STAMP_TRAILING_BYTES', 'STAMP_MALFORMED'].includes(code);
  const expected = outcomes[code] ?? (isDamaged ? error(code) : notShown);
  await say(`a time stamp ${name}`, expected, { stamp, roots, policy: undefined });
}
const stamper = makeStamper();
const { stamp, roots } = stamper(textDigest);
await say('a time stamp, and no roots', notShown, { stamp, policy: undefined });
await say('a time stamp, and roots that are none', error('ROOTS_DAMAGED'), { stamp, roots: toUtf8('none') });
await say('a time stamp is asked for, and there', existed(), { stamp, roots, require: 'rfc3161' });
await say('a time stamp without a checkpoint', notShown, { stamp, roots, tlogProof: undefined });
await say('a time stamp without the archive', notShown, { stamp, roots, archive: undefined, policy: undefined });
const later = makeTree(entry, { size: 40 });
const laterNote = await signTree(later);
const renewal = stamper(sha256(toUtf8(parseSignedNote(laterNote).text)));
await say('a time stamp over a later checkpoint renews the earlier ones', existed(), {
  ...renewal,
  tlogProof: toProof(later, entry, laterNote),
  policy: undefined,
});

const common = { proof, entry, tree, content, whole, stamp, roots };
for (const [name, expected, changes] of [...otsCases(common), ...evidenceCases(common)])
  await say(name, expected, changes);
await say('everything at once', existed(), {
  stamp,
  roots,
  evidence: writeEvidenceArchive({ archive: proof.archive }),
});

const path = new URL('../existence.json', import.meta.url);
const listed = cases.map(one => `  ${JSON.stringify(one)}`).join(',\n');
const written = Object.entries(files).map(([name, base64]) => `  ${JSON.stringify(name)}: ${JSON.stringify(base64)}`);
writeFileSync(path, `{"files": {\n${written.join(',\n')}\n}, "cases": [\n${listed}\n]}\n`);
process.stdout.write(`${cases.length} cases\n`);
