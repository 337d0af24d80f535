// Whether what is stored still is what was signed. Signs nothing: a proof whose evidence has changed is invalid.
import { isSameBytes, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type ParsedJws, parseJws } from '@recordproof/shared/evidence/jws.ts';
import type { ProofEntries } from '@recordproof/shared/evidence/proof-archive.ts';
import { toProofId } from '@recordproof/shared/evidence/proof-entries.ts';
import { toWireId } from '../../platform/ids.ts';
import { invalidateProof } from './change-status.ts';
import { buildStoredProof, EvidenceMismatch, findStored, fingerprintOf, type Stored } from './evidence.ts';
import type { ProofPorts } from './ports.ts';
import type { ProofRow } from './queries.ts';
import { toProofKey } from './signing.ts';

/** Exactly the entries that were signed. Throws EvidenceMismatch. */
export async function rebuildProof(ports: ProofPorts, proof: ProofRow): Promise<ProofEntries> {
  const stored = await findStored(ports.database.db, proof.tenant_id, proof.file_id);
  if (stored === null) throw new EvidenceMismatch('the batch of the proof is gone');
  return rebuild(ports, proof, stored);
}

async function rebuild({ signing }: ProofPorts, proof: ProofRow, stored: Stored): Promise<ProofEntries> {
  const signature = toUtf8(proof.jws);
  const jws = parseStored(signature);
  const isHers = jws.header.kid === proof.key_id && jws.header.keyVersion === proof.key_version;
  const ids = { fileId: toWireId(proof.file_id), fileVersion: proof.file_version, leafId: toWireId(proof.leaf_id) };
  const isNamed = proof.proof_id === toProofId({ tenantId: toWireId(proof.tenant_id), ...ids });
  if (!isHers || !isNamed || stored.leaf.id !== proof.leaf_id)
    throw new EvidenceMismatch('the proof is not the one that was signed');
  const key = await signing.getKey(proof.key_id, proof.key_version);
  const unsigned = buildStoredProof(stored, proof.issued_at, toProofKey(key));
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
export async function refreshStatus(ports: ProofPorts, proof: ProofRow): Promise<ProofRow> {
  if (proof.status === 'REVOKED' || proof.status === 'INVALID') return proof;
  const stored = await findStored(ports.database.db, proof.tenant_id, proof.file_id);
  if (stored === null || !(await isSound(ports, proof, stored))) return invalidateProof(ports, proof);
  return proof;
}

async function isSound(ports: ProofPorts, proof: ProofRow, stored: Stored): Promise<boolean> {
  const { status: _s, status_version: _v, reason: _r, updated_at: _u, ...signed } = proof;
  const fingerprint = fingerprintOf(stored, [signed]);
  if (ports.sound.has(proof.proof_id, fingerprint)) return true;
  try {
    await rebuild(ports, proof, stored);
  } catch (error) {
    if (error instanceof EvidenceMismatch) return false;
    throw error;
  }
  ports.sound.keep(proof.proof_id, fingerprint);
  return true;
}
