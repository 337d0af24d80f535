// Mail notice to the owner of an account about changed factors.
import { mailWords } from '@recordproof/shared/words/mails.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { mailLanguage } from '../../platform/mail/mail.ts';
import type { Server } from '../../platform/server.ts';

export const factorNoticeKind = 'factors.notice';

export type FactorChange = keyof typeof mailWords.en.factors.changes;

export const sendFactorNoticeJob = ({ mail, config }: Pick<Server, 'mail' | 'config'>): JobHandler => ({
  kind: factorNoticeKind,
  leaseSeconds: 60,
  maxAttempts: 8,
  backoffSeconds: exponentialBackoff(10, 3600),
  run: async ({ payload }) => {
    const { subject, advice, changes } = mailWords[mailLanguage(payload, config.mail)].factors;
    const text = `${changes[payload.change as FactorChange]}\n\n${advice}\n`;
    await mail.send({ to: String(payload.address), subject, text });
  },
});
