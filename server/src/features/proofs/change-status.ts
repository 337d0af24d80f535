// Proof status changes: ACTIVE → SUPERSEDED, ACTIVE or SUPERSEDED → REVOKED or INVALID. Each is audited and increments
// the status version; the last two are final.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { ProofState } from '@recordproof/shared/api/proofs.ts';
import { type Call, localCall } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AuditEntry, appendAudit } from '../audit/index.ts';
import { listForgotten, toStatusEntries, whereLedgerTakes } from './ledger-entries.ts';
import { type ChainEnd, endOlder, findProof, listInForce, type ProofRow, recallStatus, stepStatus } from './queries.ts';
import type { Proving } from './signing.ts';

const inForce: readonly ProofState[] = ['ACTIVE', 'SUPERSEDED'];
export const supersededReason = 'a newer version of the file was stored';
const recalledReason = 'recorded on the ledger before the database was restored';
const invalidReason = 'the stored evidence no longer matches what was signed';

const toEntry = (proof: ProofRow): AuditEntry => ({
  module: 'proofs',
  operation: proof.status.toLowerCase(),
  description: `proof of file ${proof.file_id} is ${proof.status}`,
  param: { proofId: proof.proof_id, fileId: proof.file_id, statusVersion: proof.status_version, reason: proof.reason },
  ...(proof.status === 'INVALID' && { errorMessage: invalidReason }),
});

/**
 * Supersedes the proofs of all earlier versions, in the transaction that stores the new ones and locks their chains.
 */
export async function supersedeOlder(
  { ledger }: Pick<Server, 'ledger'>,
  tx: Tx,
  newest: readonly ChainEnd[],
  now: Time,
): Promise<void> {
  // All status changes before the first audit row: a revocation takes these locks in the same order.
  const superseded: ProofRow[] = [];
  for (const end of newest) {
    await recall(tx, await listInForce(tx, end), now);
    superseded.push(...(await endOlder(tx, end, supersededReason, now)));
  }
  for (const proof of superseded)
    await appendAudit(tx, localCall('new version', proof.tenant_id, now), toEntry(proof), now);
  if (superseded.length > 0) await ledger.recordWithin(tx, toStatusEntries(superseded));
}

/** Restores proof statuses that the ledger has and a database from an older backup lacks. */
async function recall(tx: Tx, proofs: readonly ProofRow[], now: Time): Promise<ReadonlyMap<string, ProofRow>> {
  const recalled = new Map<string, ProofRow>();
  for (let left = proofs; left.length > 0; ) {
    const forgotten = await listForgotten(tx, left);
    const steps: ProofRow[] = [];
    for (const proof of left) {
      const to = forgotten.get(proof.proof_id);
      const from = { id: proof.id, version: proof.status_version };
      const row = to === undefined ? null : await recallStatus(tx, from, { to, reason: recalledReason, now });
      if (row !== null) steps.push(row);
    }
    for (const row of steps) {
      recalled.set(row.proof_id, row);
      await appendAudit(tx, localCall('ledger', row.tenant_id, now), toEntry(row), now);
    }
    left = steps;
  }
  return recalled;
}

/** The proof with its status from the ledger: a database from an older backup may lack it. */
export async function recallProof(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  proof: ProofRow,
): Promise<ProofRow> {
  if ((await listForgotten(database.db, [proof])).size === 0) return proof;
  const recalled = await database.db.transaction().execute(tx => recall(tx, [proof], clock.now()));
  return recalled.get(proof.proof_id) ?? (await findProof(database.db, proof.proof_id)) ?? proof;
}

/** An already revoked proof is returned unchanged; an invalid one stays invalid. */
export async function revokeProof(
  { database, clock, ledger }: Pick<Server, 'database' | 'clock' | 'ledger'>,
  call: Call,
  { proof, reason }: { readonly proof: ProofRow; readonly reason: string },
): Promise<ProofRow> {
  const changed = database.db.transaction().execute(async tx => {
    const now = clock.now();
    const revoked = await stepStatus(tx, proof.id, { from: inForce, to: 'REVOKED', reason, now });
    if (revoked) {
      await appendAudit(tx, call, toEntry(revoked), now);
      await ledger.recordWithin(tx, toStatusEntries([revoked]));
      return revoked;
    }
    const current = await findProof(tx, proof.proof_id);
    if (current?.status !== 'REVOKED') throw new ApiError('CONFLICT', 'this proof is invalid; its status is final');
    return current;
  });
  return whereLedgerTakes(changed);
}

/** Returns the resulting proof: invalid, unless it was revoked before. */
export async function invalidateProof({ database, clock, log, ledger }: Proving, proof: ProofRow): Promise<ProofRow> {
  log.error({ proofId: proof.proof_id, fileId: proof.file_id }, 'the stored evidence of a proof no longer matches');
  const changed = database.db.transaction().execute(async tx => {
    const now = clock.now();
    const invalid = await stepStatus(tx, proof.id, { from: inForce, to: 'INVALID', reason: invalidReason, now });
    if (invalid) {
      await appendAudit(tx, localCall('proof check', proof.tenant_id, now), toEntry(invalid), now);
      await ledger.recordWithin(tx, toStatusEntries([invalid]));
    }
    return invalid ?? (await findProof(tx, proof.proof_id)) ?? proof;
  });
  return whereLedgerTakes(changed);
}
