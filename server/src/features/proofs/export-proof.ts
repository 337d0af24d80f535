// Proof export: the archive of a proof, always with the same bytes, or the reason why there is none (yet).
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { writeProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import type { PlainAnswer } from '../../platform/http/route.ts';
import { toWireId } from '../../platform/ids.ts';
import { findCandidate, listLeavesOfFiles, toBatchNo } from '../attestation/index.ts';
import { toAttachment } from '../downloads/index.ts';
import type { FileRow } from '../files/index.ts';
import { invalidateProof } from './change-status.ts';
import { rebuildProof } from './check-proof.ts';
import { EvidenceMismatch } from './evidence.ts';
import { issueProof } from './issue-proof.ts';
import type { Proven } from './proven-queries.ts';
import type { ProofRow } from './queries.ts';
import type { Proving } from './signing.ts';

const rejection = (reason: string, message: string, retryAfterSeconds?: number): ApiError =>
  new ApiError('CONFLICT', message, {
    detail: { reason },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });

const damaged = ({ id }: Pick<FileRow, 'id'>): ApiError =>
  new ApiError(
    'FILE_RECORD_ERROR',
    `the stored evidence of file ${toWireId(id)} differs from what was signed, so its proof is not exported; tell the administrator, who can restore it from a backup`,
    { detail: { reason: 'EVIDENCE_MISMATCH' } },
  );

/** The proof of the file; throws the reason when there is none. */
export async function getProof(server: Proving, { file, proof: existing }: Proven): Promise<ProofRow> {
  if (existing) return existing;
  try {
    const proof = await issueProof(server, file.tenant_id, file.id);
    if (proof !== null) return proof;
  } catch (error) {
    if (error instanceof EvidenceMismatch) throw damaged(file);
    throw error;
  }
  throw await whyNotYet(server, file);
}

async function whyNotYet({ database, clock, config: { attestation } }: Proving, file: FileRow): Promise<ApiError> {
  const { db } = database;
  const poll = Math.ceil(attestation.pollMs / 1000);
  const soon = attestation.minBatchSize === 1 ? 1 : poll;
  const [found] = await listLeavesOfFiles(db, file.tenant_id, [file.id]);
  if (found?.batch.status === 'MANUAL_REVIEW')
    return rejection(
      'BATCH_IN_REVIEW',
      `batch ${toBatchNo(found.batch.id)} of this file could not be anchored; an administrator must review it`,
    );
  if (found?.batch.status === 'CHAIN_RETRY') {
    const seconds = Math.max(1, Math.ceil((found.batch.due_at - clock.now()) / 1000));
    return rejection('BATCH_PENDING', 'the chain has not accepted the batch of this file yet', seconds);
  }
  if (found) return rejection('BATCH_PENDING', 'the batch of this file is being written to the chain', soon);
  const candidate = await findCandidate(db, file.tenant_id, file.id);
  if (candidate?.status === 'DEAD_LETTER')
    return rejection(
      'NOT_ATTESTABLE',
      'this file could not be added to a batch; an administrator must review the dead letter',
    );
  if (!attestation.enabled) return attestationOff();
  if (file.manifest_hash === null) return rejection('NO_MANIFEST', 'this file has no chunk manifest to be proved');
  return rejection('BATCH_PENDING', 'this file waits for its batch', soon);
}

/** Retrying helps only after the operator has changed the setting. */
const attestationOff = (): ApiError =>
  rejection(
    'ATTESTATION_OFF',
    'this server makes no proofs: its setting attestation.production.enabled is off; the file stays stored and is proved once it is on',
  );

export async function exportProof(server: Proving, proven: Proven): Promise<PlainAnswer> {
  const { file } = proven;
  const archive = await writeArchive(server, proven);
  return {
    headers: {
      'content-type': 'application/zip',
      'content-length': archive.length,
      'content-disposition': toAttachment(`${file.file_name}.proof.zip`),
      'cache-control': 'private, no-cache',
    },
    body: archive,
  };
}

export async function writeArchive(server: Proving, proven: Proven): Promise<Uint8Array> {
  const proof = await getProof(server, proven);
  if (proof.status === 'INVALID') throw damaged(proven.file);
  try {
    return writeProofArchive(await rebuildProof(server, proof, proven.stored));
  } catch (error) {
    if (!(error instanceof EvidenceMismatch)) throw error;
    await invalidateProof(server, proof);
    throw damaged(proven.file);
  }
}

/** Returns null if there is no valid proof. */
export async function findArchive(server: Proving, file: FileRow): Promise<Uint8Array | null> {
  try {
    return await writeArchive(server, { file });
  } catch (error) {
    if (error instanceof ApiError && ['CONFLICT', 'FILE_RECORD_ERROR'].includes(error.kind)) return null;
    throw error;
  }
}
