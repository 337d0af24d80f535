// Retirement of the old key: whether it is possible, and its acknowledgement.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { KeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import { blockerTexts } from '@recordproof/shared/api/retirement-blockers.ts';
import type { Call } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { hasEnvelopesBeside } from '../envelopes/index.ts';
import { withRunLock } from '../runs/index.ts';
import { hasUploadsBeside } from '../upload-sessions/index.ts';
import { classifyRetirement } from './policy.ts';
import { findLatestApply, getPolicy, listPolicies, type PolicyRow, updatePolicy } from './queries.ts';
import { rotations } from './rotations.ts';

export const toTarget = (terms: Pick<PolicyRow, 'provider' | 'provider_contract' | 'provider_key_version'>) => ({
  provider: terms.provider,
  contract: terms.provider_contract,
  keyVersion: terms.provider_key_version,
});

/** Whether anything of the tenant that can be opened is wrapped by another key, unfinished uploads included. */
export const isOtherKeyInUse = async (db: Db, tenantId: Key, target: ReturnType<typeof toTarget>): Promise<boolean> =>
  (await hasEnvelopesBeside(db, tenantId, target)) || hasUploadsBeside(db, tenantId, target);

export async function readRetirement(db: Db, policy: PolicyRow, now: Time) {
  const latest = await findLatestApply(db, policy.tenant_id);
  const isOldKeyInUse = latest !== null && (await isOtherKeyInUse(db, policy.tenant_id, toTarget(policy)));
  return { latest, ...classifyRetirement(policy, { latest, isOldKeyInUse, now }) };
}

type OldKey = { readonly provider: string; readonly version: string };

/** Why policies of any tenant still need a key of their provider that they are moving away from, as sentences. */
export async function listRetirementObstacles(db: Db, old: OldKey, now: Time): Promise<string[]> {
  const obstacles: string[] = [];
  for (const policy of await listPolicies(db, old.provider)) {
    const { tenant_name: tenant } = policy;
    if (policy.provider_key_version === old.version) {
      obstacles.push(`the key rotation policy of tenant "${tenant}" names this version as its target`);
      continue;
    }
    const { state, reason, readyAt } = await readRetirement(db, policy, now);
    if (state !== 'NOT_READY' || reason === null) continue;
    const until = readyAt === null ? '' : ` (until ${toIso(readyAt)})`;
    obstacles.push(`the key rotation policy of tenant "${tenant}" still needs it: ${blockerTexts[reason]}${until}`);
  }
  return obstacles;
}

/** Idempotent. */
export const acknowledgeRetirement = (server: Pick<Server, 'database' | 'clock'>, call: Call): Promise<PolicyRow> =>
  withRunLock(server, rotations, call.actor.tenantId, async tx => {
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
