// The retirement of the old key: whether it may be retired, and the note that it was.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { KeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import { blockerTexts } from '@recordproof/shared/api/retirement-blockers.ts';
import type { Call } from '../../platform/call.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { hasEnvelopesBeside } from '../envelopes/index.ts';
import { inTurn } from '../runs/index.ts';
import { judgeRetirement } from './policy.ts';
import { findLatestApply, findPolicy, getPolicy, type PolicyRow, updatePolicy } from './queries.ts';
import { rotations } from './rotations.ts';

export async function readRetirement(db: Db, policy: PolicyRow, now: Time) {
  const target = {
    provider: policy.provider,
    contract: policy.provider_contract,
    keyVersion: policy.provider_key_version,
  };
  const latest = await findLatestApply(db, policy.tenant_id);
  const isOldKeyInUse = latest !== null && (await hasEnvelopesBeside(db, policy.tenant_id, target));
  return { latest, ...judgeRetirement(policy, { latest, isOldKeyInUse, now }) };
}

type OldKey = { readonly provider: string; readonly keyVersion: string };

/** Tenants whose policy keeps an old key for a while after their last run, with the time when that is over. */
export async function listGracePeriods(
  db: Db,
  { provider, keyVersion }: OldKey,
  now: Time,
): Promise<{ readonly tenant: string; readonly readyAt: Time }[]> {
  const kept: { tenant: string; readyAt: Time }[] = [];
  for (const { id, name } of await listTenants(db)) {
    const policy = await findPolicy(db, id);
    if (policy === null || policy.provider !== provider || policy.provider_key_version === keyVersion) continue;
    const { reason, readyAt } = await readRetirement(db, policy, now);
    if (reason === 'GRACE_PERIOD' && readyAt !== null) kept.push({ tenant: name, readyAt });
  }
  return kept.sort((a, b) => b.readyAt - a.readyAt);
}

/** A second call changes nothing. */
export const acknowledgeRetirement = (server: Pick<Server, 'database' | 'clock'>, call: Call): Promise<PolicyRow> =>
  inTurn(server, rotations, call.actor.tenantId, async tx => {
    const policy = await getPolicy(tx, call.actor.tenantId);
    const now = server.clock.now();
    const { state, reason, latest } = await readRetirement(tx, policy, now);
    if (state === 'ACKNOWLEDGED') return policy;
    if (state !== 'READY' || latest === null) throw toStillNeeded(reason);
    await recordAudit(tx, call, now, 'key-rotation.acknowledge-retirement', 'the old key was said to be retired', {
      runId: latest.id,
      policyVersion: policy.version,
    });
    return updatePolicy(tx, policy.id, { acknowledged_run_id: latest.id, acknowledged_at: now });
  });

function toStillNeeded(reason: KeyRotationPolicy['retirement']['reason']): ApiError {
  const why = reason === null ? '' : `: ${blockerTexts[reason]}`;
  return new ApiError('RUN_STATE_CONFLICT', `the old key cannot be retired yet${why}`, { detail: { reason } });
}
