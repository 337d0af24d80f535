// Ends a run that cannot go on. Whoever works on an item of it loses the claim: from here on nothing of the run changes.
import { localCall } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { appendAudit } from '../audit/index.ts';
import { dropOpenItems } from './item-queries.ts';
import { takeCounts } from './run-counts.ts';
import { holdRun, updateRun } from './run-queries.ts';
import type { WhichRun } from './work-run.ts';

type Failing = Pick<Server, 'database' | 'clock'>;

export const failRun = ({ database, clock }: Failing, { tenantId, runId }: WhichRun, error: unknown): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const run = await holdRun(tx, database.kind, tenantId, runId);
    if (run === null || run.completed_at !== null) return;
    const now = clock.now();
    const failure = toErrorText(error).slice(0, 500);
    await dropOpenItems(tx, run, now);
    const { counts } = await takeCounts(tx, run);
    await updateRun(tx, run, { status: 'FAILED', failure, counts, completed_at: now });
    const entry = {
      module: 'backfill',
      operation: 'end-run',
      description: `backfill run ${run.id} ended: FAILED`,
      param: { runId: run.id, failure },
    };
    await appendAudit(tx, localCall('backfill', run.tenant_id, now), entry, now);
  });
