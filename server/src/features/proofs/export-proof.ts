// Hands out the archive of a proof, the same bytes each time, or says why there is none (yet).
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { PlainAnswer } from '../../platform/http/route.ts';
import { findCandidate, listLeavesOfFiles } from '../attestation/index.ts';
import { type FileRow, toAttachment } from '../files/index.ts';
import { invalidateProof } from './change-status.ts';
import { rebuildProof } from './check-proof.ts';
import { EvidenceMismatch } from './evidence.ts';
import { issueProof } from './issue-proof.ts';
import type { ProofRow } from './queries.ts';
import type { Proving } from './signing.ts';
import { writeProofArchive } from './write-archive.ts';

const refusal = (reason: string, message: string, retryAfterSeconds?: number): ApiError =>
  new ApiError('CONFLICT', message, {
    detail: { reason },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });

const damaged = (): ApiError =>
  new ApiError('FILE_RECORD_ERROR', 'the stored evidence of this file does not match; no proof is handed out', {
    detail: { reason: 'EVIDENCE_MISMATCH' },
  });

/** The proof of the file; throws the reason when there is none. */
export async function getProof(server: Proving, file: FileRow): Promise<ProofRow> {
  try {
    const proof = await issueProof(server, file.tenant_id, file.id);
    if (proof !== null) return proof;
  } catch (error) {
    if (error instanceof EvidenceMismatch) throw damaged();
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
    return refusal('BATCH_IN_REVIEW', 'the batch of this file could not be anchored; an administrator has to look');
  if (found?.batch.status === 'CHAIN_RETRY') {
    const seconds = Math.max(1, Math.ceil((found.batch.due_at - clock.now()) / 1000));
    return refusal('BATCH_PENDING', 'the chain did not take the batch of this file yet', seconds);
  }
  if (found) return refusal('BATCH_PENDING', 'the batch of this file is on its way to the chain', soon);
  const candidate = await findCandidate(db, file.tenant_id, file.id);
  if (candidate?.status === 'DEAD_LETTER')
    return refusal('NOT_ATTESTABLE', 'this file could not be put into a batch; an administrator has to look');
  if (!attestation.enabled) return attestationOff();
  if (file.manifest_hash === null) return refusal('NO_MANIFEST', 'this file has no chunk manifest to be proved');
  return refusal('BATCH_PENDING', 'this file waits for its batch', soon);
}

/** Waiting helps only once the operator has changed it. */
const attestationOff = (): ApiError =>
  refusal(
    'ATTESTATION_OFF',
    'this server makes no proofs: its setting attestation.production.enabled is off; the file stays stored and is proved once it is on',
  );

export async function exportProof(server: Proving, file: FileRow): Promise<PlainAnswer> {
  const archive = await writeArchive(server, file);
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

export async function writeArchive(server: Proving, file: FileRow): Promise<Uint8Array> {
  const proof = await getProof(server, file);
  if (proof.status === 'INVALID') throw damaged();
  try {
    return await writeProofArchive(await rebuildProof(server, proof));
  } catch (error) {
    if (!(error instanceof EvidenceMismatch)) throw error;
    await invalidateProof(server, proof);
    throw damaged();
  }
}
