// Tells an address that its account has moved away from it, in case that was not its owner's doing.
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';

export const noticeJobKind = 'auth.notice-of-change';

const text =
  'The RecordProof account that used this address now uses another one.\n\nIf this was not you: tell the administrators of your server at once.\n';

export const sendNoticeJob = ({ mail }: Pick<Server, 'mail'>): JobHandler => ({
  kind: noticeJobKind,
  leaseSeconds: 60,
  maxAttempts: 8,
  backoffSeconds: exponentialBackoff(10, 3600),
  run: async ({ payload }) => {
    await mail.send({ to: String(payload.address), subject: 'Your RecordProof address was changed', text });
  },
});
