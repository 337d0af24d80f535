import * as api from '@recordproof/shared/api/attestation.ts';
import { toIsoOrNull } from '../../platform/clock.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { appendAudit, originOf } from '../audit/index.ts';
import { countBatched, countDue } from './batch-queries.ts';
import { countBacklog } from './candidate-queries.ts';
import type { AttestationPorts } from './ports.ts';
import { runProduction } from './run-production.ts';

export const attestationRoutes = (ports: AttestationPorts): Route[] => {
  const { db } = ports.database;
  return [
    route(api.triggerAttestation, async r => {
      const { actor } = r;
      const result = await runProduction(ports, { tenantId: actor.tenantId, force: true });
      if (!result.enabled) return result;
      const { batchIds } = result;
      const entry = {
        tenantId: actor.tenantId,
        who: actor,
        module: 'attestation',
        operation: 'trigger',
        description: 'attestation run forced',
        param: { batchIds },
        origin: originOf(r),
      };
      await db.transaction().execute(tx => appendAudit(tx, entry, ports.clock.now()));
      return result;
    }),
    route(api.attestationStatus, async ({ actor }) => {
      const { enabled, minBatchSize, maxBatchSize, maxWaitSeconds, seedLimit, maxBatchesPerRun } = ports.limits;
      const { tenantId } = actor;
      const backlog = await countBacklog(db, tenantId);
      return {
        enabled,
        minBatchSize,
        maxBatchSize,
        maxWaitSeconds,
        seedLimit,
        maxBatchesPerRun,
        readyCandidates: backlog.ready,
        claimedCandidates: backlog.claimed,
        batchedCandidates: await countBatched(db, tenantId),
        deadLetterCandidates: backlog.dead,
        oldestReadyAt: toIsoOrNull(backlog.oldestReadyAt),
        dueBatches: await countDue(db, { tenantId, now: ports.clock.now(), exhausted: false }),
      };
    }),
  ];
};
