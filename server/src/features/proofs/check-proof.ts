// Whether what is stored still is what was signed. Signs nothing: a proof whose evidence has changed is invalid.
import { isSameBytes, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type ParsedJws, parseJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofEntries } from '@recordproof/shared/evidence/proof-archive.ts';
import { assertProofReadable } from '../crypto-policy/index.ts';
import { invalidateProof, recallProof } from './change-status.ts';
import { buildStoredProof, EvidenceMismatch, findStored, fingerprintOf, type Stored } from './evidence.ts';
import type { ProofRow } from './queries.ts';
import { type Proving, toProofKey } from './signing.ts';

/** Exactly the entries that were signed. Throws EvidenceMismatch, UNPROCESSABLE where they are not read any more. */
export async function rebuildProof(server: Proving, proof: ProofRow): Promise<ProofEntries> {
  const stored = await findStored(server.database.db, proof.tenant_id, proof.file_id);
  if (stored === null) throw new EvidenceMismatch('the batch of the proof is gone');
  assertProofReadable(server, {
    proofSuite: stored.batch.proof_suite,
    signatureSuite: proof.signature_suite,
    archiveSuite: proof.archive_suite,
  });
  return rebuild(server, proof, stored);
}

async function rebuild({ signing }: Proving, proof: ProofRow, stored: Stored): Promise<ProofEntries> {
  const signature = toUtf8(proof.jws);
  const jws = parseStored(signature);
  const isHers = jws.header.kid === proof.key_id && jws.header.keyVersion === proof.key_version;
  const isOfLeaf = stored.leaf.id === proof.leaf_id && stored.leaf.file_version === proof.file_version;
  if (!isHers || !isOfLeaf) throw new EvidenceMismatch('the proof is not the one that was signed');
  const key = await signing.getKey(proof.key_id, proof.key_version);
  // Its id is one of the values that were signed, so it holds whatever rule it was made by.
  const unsigned = buildStoredProof(stored, { at: proof.issued_at, as: proof.proof_id }, toProofKey(key));
  if (!isSameBytes(unsigned['manifest.json'], jws.payload)) throw new EvidenceMismatch('the evidence has changed');
  if (!(await signing.verify(key, jws))) throw new EvidenceMismatch('the signature is not that of its key');
  return { ...unsigned, 'issuer-signature.jws': signature };
}

function parseStored(signature: Uint8Array): ParsedJws {
  try {
    return parseJws(signature);
  } catch (cause) {
    throw new EvidenceMismatch('the signature is damaged', { cause });
  }
}

/** The proof with its status as it is now: what has changed underneath is noticed here, once, and written down. */
export async function refreshStatus(server: Proving, known: ProofRow): Promise<ProofRow> {
  const proof = await recallProof(server, known);
  if (proof.status === 'REVOKED' || proof.status === 'INVALID') return proof;
  const stored = await findStored(server.database.db, proof.tenant_id, proof.file_id);
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
