// Mail notice to the owner of an account about changed factors.
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';

export const factorNoticeKind = 'factors.notice';

const texts = {
  'totp-added': 'An app for one-time codes was set up for your RecordProof account.',
  'totp-removed': 'The app for one-time codes was removed from your RecordProof account.',
  'passkey-added': 'A passkey was added to your RecordProof account.',
  'passkey-removed': 'A passkey was removed from your RecordProof account.',
  'passkey-copied':
    'A passkey of your RecordProof account was used with a counter that is too low: there may be a copy of it. It was not accepted. Remove this passkey.',
  'recovery-codes-renewed': 'New recovery codes were made for your RecordProof account. Older ones no longer work.',
  'recovery-code-used': 'A recovery code of your RecordProof account was used.',
  reset: 'An administrator removed the second factors of your RecordProof account. Your sessions have ended.',
} as const;
export type FactorChange = keyof typeof texts;

const advice = '\n\nIf this was not you: change your password, and tell the administrators of your server.\n';

export const sendFactorNoticeJob = ({ mail }: Pick<Server, 'mail'>): JobHandler => ({
  kind: factorNoticeKind,
  leaseSeconds: 60,
  maxAttempts: 8,
  backoffSeconds: exponentialBackoff(10, 3600),
  run: async ({ payload }) => {
    const text = texts[payload.change as FactorChange] + advice;
    await mail.send({ to: String(payload.address), subject: 'Your RecordProof sign-in was changed', text });
  },
});
