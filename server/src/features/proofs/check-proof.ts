// Check of a proof against the stored evidence. It signs nothing: a proof whose evidence has changed is invalid.
import type { ProofLedgerEntries } from '@recordproof/shared/api/proofs.ts';
import { parseBase64Url, sha256, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { joinJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofEntries } from '@recordproof/shared/evidence/proof-archive.ts';
import { toProofSigningInput } from '@recordproof/shared/evidence/proof-builder.ts';
import { assertProofReadable } from '../crypto-policy/index.ts';
import type { FileRow } from '../files/index.ts';
import type { ProofCheck } from '../integrity/index.ts';
import { invalidateProof, recallProof } from './change-status.ts';
import { buildStoredProof, EvidenceMismatch, findStored, fingerprintOf, type Stored } from './evidence.ts';
import { type OnLedger, readLedger } from './ledger-entries.ts';
import { prepareFindProven } from './proven-queries.ts';
import type { ProofRow } from './queries.ts';
import { type Proving, toProofKey } from './signing.ts';

/**
 * Exactly the entries that were signed. Throws EvidenceMismatch, or UNPROCESSABLE if their suite may no longer be
 * read.
 */
export async function rebuildProof(server: Proving, proof: ProofRow, read?: Stored | null): Promise<ProofEntries> {
  const stored = await toStored(server, proof, read);
  if (stored === null) throw new EvidenceMismatch(`the batch or leaf of proof ${proof.proof_id} is missing`);
  assertProofReadable(server, {
    proofSuite: stored.batch.proof_suite,
    signatureSuite: proof.signature_suite,
    archiveSuite: proof.archive_suite,
  });
  return rebuild(server, proof, stored);
}

/** The stored evidence that was read with the proof, otherwise read now. */
const toStored = async (
  { database }: Pick<Proving, 'database'>,
  proof: ProofRow,
  read?: Stored | null,
): Promise<Stored | null> => (read === undefined ? findStored(database.db, proof.tenant_id, proof.file_id) : read);

async function rebuild({ signing }: Pick<Proving, 'signing'>, proof: ProofRow, stored: Stored): Promise<ProofEntries> {
  const isOfLeaf = stored.leaf.id === proof.leaf_id && stored.leaf.file_version === proof.file_version;
  if (!isOfLeaf) throw new EvidenceMismatch(`proof ${proof.proof_id} belongs to another leaf or version than its file`);
  const key = await signing.findKey(proof.key_id, proof.key_version);
  if (key === null)
    throw new EvidenceMismatch(
      `proof ${proof.proof_id}: signing key ${proof.key_id} version ${proof.key_version} is unknown here`,
    );
  // The id is one of the signed values, so it does not depend on the current rule for ids.
  const unsigned = buildStoredProof(stored, { at: proof.issued_at, as: proof.proof_id }, toProofKey(key));
  const manifest = unsigned['manifest.json'];
  if (toHex(sha256(manifest)) !== proof.manifest_sha256)
    throw new EvidenceMismatch(`the evidence of proof ${proof.proof_id} differs from what was signed`);
  const signingInput = toProofSigningInput(unsigned, toProofKey(key));
  const signature = parseSignature(proof.signature);
  if (!(await signing.verify(key, { signingInput: toUtf8(signingInput), signature })))
    throw new EvidenceMismatch(`the signature of proof ${proof.proof_id} does not match its key`);
  return { ...unsigned, 'issuer-signature.jws': joinJws(signingInput, proof.signature) };
}

function parseSignature(text: string): Uint8Array {
  try {
    return parseBase64Url(text);
  } catch (cause) {
    throw new EvidenceMismatch('the signature is damaged', { cause });
  }
}

/** Rows that were read with the proof; missing ones are read now. */
type Read = { readonly stored?: Stored | null | undefined; readonly ledger?: OnLedger | undefined };

type CheckProof = (file: Pick<FileRow, 'tenant_id' | 'id'>) => Promise<ProofCheck>;

/** Changes nothing. */
export function openCheckProof(server: Pick<Proving, 'database' | 'signing'>): CheckProof {
  const findProven = prepareFindProven(server.database);
  return async file => {
    const { proof, stored: read } = (await findProven(file.tenant_id, file.id)) ?? {};
    if (!proof) return 'none';
    const stored = await toStored(server, proof, read);
    if (stored === null) return { problem: `the batch or leaf of proof ${proof.proof_id} is missing` };
    try {
      await rebuild(server, proof, stored);
      return 'sound';
    } catch (error) {
      if (error instanceof EvidenceMismatch) return { problem: error.message };
      throw error;
    }
  };
}

type Current = { readonly proof: ProofRow; readonly positions: ProofLedgerEntries };

/** The proof with its current status, and the ledger entries that confirm it. */
export async function refreshStatus(
  server: Proving,
  storedProof: ProofRow,
  { stored, ledger }: Read,
): Promise<Current> {
  const { db } = server.database;
  const { positions, isAhead } = ledger ?? (await readLedger(db, storedProof));
  const recalled = isAhead ? await recallProof(server, storedProof) : storedProof;
  const proof = await checkStored(server, recalled, stored);
  return { proof, positions: proof === storedProof ? positions : (await readLedger(db, proof)).positions };
}

/** The proof after a check of its stored evidence: a mismatch is recorded once, as status INVALID. */
async function checkStored(server: Proving, proof: ProofRow, read?: Stored | null): Promise<ProofRow> {
  if (proof.status === 'REVOKED' || proof.status === 'INVALID') return proof;
  const stored = await toStored(server, proof, read);
  if (stored === null || !(await isSound(server, proof, stored))) return invalidateProof(server, proof);
  return proof;
}

async function isSound(server: Proving, proof: ProofRow, stored: Stored): Promise<boolean> {
  const { status: _s, status_version: _v, reason: _r, updated_at: _u, ...signed } = proof;
  const fingerprint = fingerprintOf(stored, [signed]);
  if (server.soundProofs.use(proof.proof_id) === fingerprint) return true;
  try {
    await rebuild(server, proof, stored);
  } catch (error) {
    if (error instanceof EvidenceMismatch) return false;
    throw error;
  }
  server.soundProofs.set(proof.proof_id, fingerprint);
  return true;
}
