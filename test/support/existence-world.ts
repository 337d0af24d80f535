// A file with all kinds of evidence of its time: archive, ledger, witnesses, OpenTimestamps, and a reader's trusted
// parties. The operator's keys are available, so that tests can forge.
import { signCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { signCosignatureLine, type TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { concatBytes, digestOf, parseUtf8, sha256, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  digestProofId,
  entryTransactionHash,
  type LedgerEntry,
  ledgerEntryBytes,
  ledgerEntrySchema,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { type ProofEntries, proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import { buildProofEntries, type ProofEvidence } from '@recordproof/shared/evidence/proof-builder.ts';
import { addSignatureLines, parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { writeTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { testSigner } from './note-keys.ts';
import { evidenceOf, issuerIdentity, issuerKey, someContent } from './proofs.ts';
import { writeZip } from './zip.ts';

export const content = someContent(100_000);
export const logSigner = testSigner('ED25519', 'ledger.example/log');
export const witnesses = ['one', 'two', 'three'].map(name => testSigner('COSIGNATURE', `${name}.example`));
/** Seconds since 1970, by witness. */
export const times = [1_790_000_300, 1_790_000_100, 1_790_000_200] as const;
const recordedAt = '2026-09-21T14:13:00.000Z';

export const policyText = (quorum = 'group people 2 one two three\nquorum people\n'): string => {
  const named = witnesses.map(key => `witness ${key.name.split('.')[0]} ${toTypedKeyText(key)}\n`).join('');
  return `log ${toTypedKeyText(logSigner)}\n${named}${quorum}`;
};

const batchEntryOf = (evidence: ProofEvidence): LedgerEntry => ({
  ...{ schema: ledgerEntrySchema, kind: 'BATCH_ROOT', recordedAt },
  ...{ batchNo: evidence.receipt.batchNo, merkleRoot: toHex(evidence.merkle.root), treeSize: evidence.merkle.treeSize },
});

/** A proof whose receipt names the entry of its batch. */
export async function makeProof(plan: Partial<Parameters<typeof evidenceOf>[0]> = {}) {
  const evidence = evidenceOf({ content, chunkSize: 30_000, ...plan });
  const batchEntry = ledgerEntryBytes(batchEntryOf(evidence));
  const receipt = { ...evidence.receipt, batchTransactionHash: entryTransactionHash(batchEntry) };
  const { fingerprint: publicKeyFingerprint, sign } = issuerKey;
  const entries = await buildProofEntries({ ...evidence, receipt }, { ...issuerIdentity, publicKeyFingerprint, sign });
  return { entries, archive: packProof(entries), batchEntry, issuedEntry: ledgerEntryBytes(issuedEntryOf(entries)) };
}

const packProof = (entries: ProofEntries): Uint8Array =>
  writeZip(proofEntryNames.map(name => ({ name, data: entries[name] })));

export function issuedEntryOf(entries: ProofEntries): LedgerEntry {
  const { proofId } = JSON.parse(parseUtf8(entries['manifest.json']));
  const manifestSha256 = digestOf(entries['manifest.json']);
  return {
    schema: ledgerEntrySchema,
    kind: 'PROOF_ISSUED',
    proofIdSha256: digestProofId(proofId),
    manifestSha256,
    recordedAt,
  };
}

/** A log whose other entries are derived from a word. */
export function makeTree(entry: Uint8Array, { index = 5, size = 9, word = 'entry' } = {}) {
  const leaves = Array.from({ length: size }, (_, at) => hashLeaf(toUtf8(`${word} ${at}`)));
  const tree = buildMerkleTree(leaves.with(index, hashLeaf(entry)));
  return { index, size, root: tree.root, path: tree.pathOf(index) };
}
type Tree = ReturnType<typeof makeTree>;

export const signTree = ({ size, root }: Tree, signer = logSigner) =>
  signCheckpoint({ origin: signer.name, size, root }, [signer]);

/** Cosignatures of `by`, each at its time, on the text of `seen`. */
export async function cosign(note: Uint8Array, by: readonly TypedNoteSigner[] = witnesses, seen = note) {
  const { text } = parseSignedNote(seen);
  let cosigned = note;
  for (const signer of by)
    cosigned = addSignatureLines(
      cosigned,
      await signCosignatureLine(text, signer, times[witnesses.indexOf(signer)] ?? 0),
    );
  return cosigned;
}

export const toProof = ({ index, path }: Tree, extra: Uint8Array, checkpoint: Uint8Array): Uint8Array =>
  writeTlogProof({ index, path, extra, checkpoint });

/** The complete evidence of an honest operator. */
export async function makeWorld(kind: 'batchEntry' | 'issuedEntry' = 'issuedEntry') {
  const proof = await makeProof();
  const entry = proof[kind];
  const tree = makeTree(entry);
  const signed = await signTree(tree);
  const checkpoint = await cosign(signed);
  const { text } = parseSignedNote(checkpoint);
  const tlogProof = toProof(tree, entry, checkpoint);
  return {
    ...proof,
    entry,
    tree,
    signed,
    checkpoint,
    text,
    tlogProof,
    digest: sha256(content),
    stampDigest: sha256(toUtf8(text)),
  };
}
export type World = Awaited<ReturnType<typeof makeWorld>>;

export const flip = (bytes: Uint8Array, at: number): Uint8Array =>
  new Uint8Array(concatBytes(bytes)).with(at, (bytes[at] ?? 0) ^ 1);
