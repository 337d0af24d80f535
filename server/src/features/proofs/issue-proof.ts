// Signs the proof of a leaf, once, when its batch is on the chain. Nothing is signed over rows that contradict each other.
import { setImmediate as othersTurn } from 'node:timers/promises';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { signProof } from '@recordproof/shared/evidence/proof-builder.ts';
import { toProofId } from '@recordproof/shared/evidence/proof-entries.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { type Consumer, emit } from '../../platform/outbox/outbox.ts';
import { batchCompleted, listLeaves } from '../attestation/index.ts';
import { appendAudit, localOrigin } from '../audit/index.ts';
import { type Notice, notify } from '../events/index.ts';
import { type FileRow, lockVersionChain, setProofStatus } from '../files/index.ts';
import { hasNewerVersion } from '../versions/index.ts';
import { supersededReason } from './change-status.ts';
import { buildStoredProof, EvidenceMismatch, findStored, type Stored } from './evidence.ts';
import type { ProofPorts } from './ports.ts';
import { findProofOfFile, insertProof, listUnproven, type ProofKeyRow, type ProofRow } from './queries.ts';
import { toProofKey } from './signing.ts';

const issueJobKind = 'proofs.issue';

export const issueOnCompletion: Consumer = {
  name: 'proofs-issue',
  types: [batchCompleted],
  handle: (tx, { payload, createdAt }) => enqueue(tx, { kind: issueJobKind, payload }, createdAt),
};

/** A file whose evidence does not hold is told of and passed over; asking for its proof says why there is none. */
export const issueBatch = (ports: ProofPorts): JobHandler => ({
  kind: issueJobKind,
  leaseSeconds: 120,
  maxAttempts: 50,
  backoffSeconds: exponentialBackoff(2, 300),
  run: async job => {
    const { db } = ports.database;
    const leaves = await listLeaves(db, job.payload.batchId as Key);
    const open = await listUnproven(
      db,
      leaves.map(leaf => leaf.id),
    );
    for (const leaf of leaves) {
      job.signal.throwIfAborted();
      if (!open.has(leaf.id)) continue;
      await othersTurn();
      try {
        await issueProof(ports, leaf.tenant_id, leaf.file_id);
      } catch (error) {
        if (!(error instanceof EvidenceMismatch)) throw error;
        ports.log.error({ fileId: leaf.file_id, reason: error.message }, 'a proof cannot be issued over this evidence');
      }
    }
  },
});

/** The proof that the file has, or now gets; null while its batch is not on the chain. Throws EvidenceMismatch. */
export async function issueProof(ports: ProofPorts, tenantId: Key, fileId: Key): Promise<ProofRow | null> {
  const { db } = ports.database;
  const existing = await findProofOfFile(db, tenantId, fileId);
  if (existing !== null) return existing;
  const stored = await findStored(db, tenantId, fileId);
  if (stored === null) return null;
  const key = await ports.signing.current();
  const issuedAt = ports.clock.now();
  const unsigned = buildStoredProof(stored, issuedAt, toProofKey(key));
  const sign = (message: Uint8Array) => ports.signing.sign(key, message);
  const jws = parseUtf8(await signProof(unsigned, { ...toProofKey(key), sign }));
  const issued = await db.transaction().execute(tx => store(tx, ports, { stored, key, jws, issuedAt }));
  return issued ?? findProofOfFile(db, tenantId, fileId); // another server was faster: its signature counts
}

type Signed = { readonly stored: Stored; readonly key: ProofKeyRow; readonly jws: string; readonly issuedAt: number };

async function store(
  tx: Tx,
  { database }: ProofPorts,
  { stored, key, jws, issuedAt }: Signed,
): Promise<ProofRow | null> {
  const { file, leaf } = stored;
  if (file === null) throw new EvidenceMismatch('the file record is gone');
  const { tenant_id: tenantId, id: fileId } = file;
  const groupId = file.version_group_id ?? fileId;
  // Under the lock of the chain either a newer version shows here, or its storing finds this proof.
  await lockVersionChain(tx, database.kind, groupId);
  const isOld = await hasNewerVersion(tx, file);
  const ids = { fileId: toWireId(fileId), fileVersion: file.version, leafId: toWireId(leaf.id) };
  const proof = await insertProof(tx, {
    proof_id: toProofId({ tenantId: toWireId(tenantId), ...ids }),
    tenant_id: tenantId,
    file_id: fileId,
    file_version: file.version,
    version_group_id: groupId,
    leaf_id: leaf.id,
    key_id: key.key_id,
    key_version: key.key_version,
    status: isOld ? 'SUPERSEDED' : 'ACTIVE',
    status_version: isOld ? 2 : 1,
    reason: isOld ? supersededReason : null,
    jws,
    issued_at: issuedAt,
    updated_at: issuedAt,
  });
  if (proof === null) return null;
  await setProofStatus(tx, tenantId, [fileId], 'ISSUED');
  await appendAudit(tx, issuedEntry(proof), issuedAt);
  const payload = { fileId, proofId: proof.proof_id, ownerId: file.owner_id };
  await notify(tx, issuedNotice(proof, file), issuedAt);
  await emit(tx, { type: 'proof.issued', tenantId, payload }, issuedAt);
  return proof;
}

const issuedNotice = (proof: ProofRow, file: FileRow): Notice => ({
  tenantId: proof.tenant_id,
  to: { kind: 'users', userIds: [file.owner_id] },
  type: 'proof-issued',
  payload: { fileId: toWireId(file.id), fileName: file.file_name, proofId: proof.proof_id },
});

const issuedEntry = (proof: ProofRow) => ({
  tenantId: proof.tenant_id,
  who: null,
  module: 'proofs',
  operation: 'issue',
  description: `proof of file ${proof.file_id} issued`,
  param: { proofId: proof.proof_id, fileId: proof.file_id, keyId: proof.key_id, keyVersion: proof.key_version },
  origin: localOrigin('proofs', proof.issued_at),
});
