// The job that works on one run; while one waits, another is not added.
import type { NewJob } from '../../platform/jobs/jobs.ts';
import type { RunRow } from './run-queries.ts';

export const runJobKind = 'backfill.run';

export const toRunJob = ({ id, tenant_id }: Pick<RunRow, 'id' | 'tenant_id'>): NewJob => ({
  kind: runJobKind,
  payload: { runId: id, tenantId: tenant_id },
  uniqueKey: String(id),
});
