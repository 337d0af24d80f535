// Jobs that send one mail: repeated for some hours while the mail server is unavailable.
import { exponentialBackoff, type JobHandler } from '../jobs/jobs.ts';

export const mailJob = (kind: string, run: JobHandler['run']): JobHandler => ({
  kind,
  leaseSeconds: 60,
  maxAttempts: 8,
  backoffSeconds: exponentialBackoff(10, 3600),
  run,
});
