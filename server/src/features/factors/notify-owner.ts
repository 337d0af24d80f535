// Mail notices to the owner of an account about changed factors.
import { mailWords } from '@recordproof/shared/words/mails.ts';
import type { Origin } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, type JobHandler } from '../../platform/jobs/jobs.ts';
import { mailLanguage } from '../../platform/mail/mail.ts';
import { mailJob } from '../../platform/mail/mail-job.ts';
import type { Server } from '../../platform/server.ts';

const factorNoticeKind = 'factors.notice';

type FactorChange = keyof typeof mailWords.en.factors.changes;

export const sendFactorNoticeJob = ({ mail, config }: Pick<Server, 'mail' | 'config'>): JobHandler =>
  mailJob(factorNoticeKind, async ({ payload }) => {
    const { subject, advice, changes } = mailWords[mailLanguage(payload, config.mail)].factors;
    const text = `${changes[payload.change as FactorChange]}\n\n${advice}\n`;
    await mail.send({ to: String(payload.address), subject, text });
  });

type Told = Pick<Origin, 'language'> & { readonly email: string };

/** Mails the owner after the commit. */
export const notifyOwner = (tx: Tx, { email, language }: Told, change: FactorChange, now: Time): Promise<void> =>
  enqueue(tx, { kind: factorNoticeKind, payload: { address: email, change, language } }, now);
