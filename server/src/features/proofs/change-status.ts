// The life of a proof: ACTIVE → SUPERSEDED, ACTIVE or SUPERSEDED → REVOKED or INVALID. Each step is audited and counts
// the status version up by one; the last two are for good.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ProofState } from '@recordproof/shared/api/proofs.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Consumer } from '../../platform/outbox/outbox.ts';
import { type AuditEntry, appendAudit, localOrigin, type Origin } from '../audit/index.ts';
import { findFile, lockVersionChain } from '../files/index.ts';
import type { ProofPorts } from './ports.ts';
import { findProof, listOlderInForce, type ProofRow, stepStatus } from './queries.ts';

const inForce: readonly ProofState[] = ['ACTIVE', 'SUPERSEDED'];
export const supersededReason = 'a newer version of the file was stored';
const invalidReason = 'the stored evidence no longer matches what was signed';

const toEntry = (proof: ProofRow, who: AuditEntry['who'], origin: Origin): AuditEntry => ({
  tenantId: proof.tenant_id,
  who,
  module: 'proofs',
  operation: proof.status.toLowerCase(),
  description: `proof of file ${proof.file_id} is ${proof.status}`,
  param: { proofId: proof.proof_id, fileId: proof.file_id, statusVersion: proof.status_version, reason: proof.reason },
  ...(proof.status === 'INVALID' && { errorMessage: invalidReason }),
  origin,
});

type Storage = Pick<ProofPorts, 'database' | 'clock'>;

/** Ends the proofs of all versions before this one. */
export async function supersedeOlder(
  tx: Tx,
  { database, clock }: Storage,
  { versionGroupId, version }: { readonly versionGroupId: Key; readonly version: number },
): Promise<void> {
  await lockVersionChain(tx, database.kind, versionGroupId);
  const now = clock.now();
  for (const { id } of await listOlderInForce(tx, versionGroupId, version)) {
    const proof = await stepStatus(tx, id, { from: ['ACTIVE'], to: 'SUPERSEDED', reason: supersededReason, now });
    if (proof) await appendAudit(tx, toEntry(proof, null, localOrigin('file.stored', now)), now);
  }
}

export const supersedeOnNewVersion = (ports: Storage): Consumer => ({
  name: 'proofs-superseded',
  types: ['file.stored'],
  handle: async (tx, { tenantId, payload }) => {
    if (tenantId === null || typeof payload.fileId !== 'number') return;
    const file = await findFile(tx, tenantId, payload.fileId);
    if (!file || file.version === 1 || file.version_group_id === null) return;
    await supersedeOlder(tx, ports, { versionGroupId: file.version_group_id, version: file.version });
  },
});

/** A proof that is revoked already is answered as it is; an invalid one stays invalid. */
export async function revokeProof(
  { database, clock }: Storage,
  proof: ProofRow,
  { actor, reason, origin }: { readonly actor: Actor; readonly reason: string; readonly origin: Origin },
): Promise<ProofRow> {
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const revoked = await stepStatus(tx, proof.id, { from: inForce, to: 'REVOKED', reason, now });
    if (revoked) {
      await appendAudit(tx, toEntry(revoked, actor, origin), now);
      return revoked;
    }
    const current = await findProof(tx, proof.proof_id);
    if (current?.status !== 'REVOKED') throw new ApiError('CONFLICT', 'this proof is invalid and stays so');
    return current;
  });
}

/** The proof as it is after that: invalid, unless it had been revoked. */
export async function invalidateProof({ database, clock, log }: ProofPorts, proof: ProofRow): Promise<ProofRow> {
  log.error({ proofId: proof.proof_id, fileId: proof.file_id }, 'the stored evidence of a proof no longer matches');
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const invalid = await stepStatus(tx, proof.id, { from: inForce, to: 'INVALID', reason: invalidReason, now });
    if (invalid) await appendAudit(tx, toEntry(invalid, null, localOrigin('proof check', now)), now);
    return invalid ?? (await findProof(tx, proof.proof_id)) ?? proof;
  });
}
