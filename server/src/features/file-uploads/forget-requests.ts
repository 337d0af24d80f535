// Deletion of idempotency keys and request ids after their day.
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { forgetRepeatables, forgetRequests } from './queries.ts';

export const forgetJobKind = 'file-uploads.forget';
export const requestsKeptMs = 24 * 3600_000;

export const forgetJob = ({ database: { db }, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: forgetJobKind,
  leaseSeconds: 60,
  maxAttempts: 5,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async () => {
    const now = clock.now();
    await forgetRepeatables(db, now);
    await forgetRequests(db, now - requestsKeptMs);
  },
});
