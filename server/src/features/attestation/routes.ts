// Routes of attestation.
import * as api from '@recordproof/shared/api/attestation.ts';
import { toIsoOrNull } from '../../platform/clock.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { recordAudit } from '../audit/index.ts';
import { countBatched, countDue } from './batch-queries.ts';
import { countBacklog } from './candidate-queries.ts';
import type { Attesting } from './metrics.ts';
import { runProduction } from './run-production.ts';

export const attestationRoutes = (server: Attesting): Route[] => {
  const { db } = server.database;
  return [
    route(api.triggerAttestation, async r => {
      const result = await runProduction(server, { tenantId: r.actor.tenantId, force: true });
      if (!result.enabled) return result;
      const { batchIds } = result;
      await db
        .transaction()
        .execute(tx =>
          recordAudit(tx, r, server.clock.now(), 'attestation.trigger', 'attestation run forced', { batchIds }),
        );
      return result;
    }),
    route(api.attestationStatus, async ({ actor }) => {
      const { enabled, minBatchSize, maxBatchSize, maxWaitSeconds, seedLimit, maxBatchesPerRun } =
        server.config.attestation;
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
        dueBatches: await countDue(db, { tenantId, now: server.clock.now(), exhausted: false }),
      };
    }),
  ];
};
