// Invitation mails. The secret is generated here, so that it is readable only in the mail.
import { mailWords } from '@recordproof/shared/words/mails.ts';
import { toUtcMinute } from '../../platform/clock.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import { mailLanguage } from '../../platform/mail/mail.ts';
import type { Server } from '../../platform/server.ts';
import { digestSecret, newSecret, toLink } from './codes.ts';
import { findSelector, setInvitationSecret } from './queries.ts';

export const invitationMailKind = 'invitations.send';

export const sendInvitationJob = ({
  database: { db },
  clock,
  keys,
  mail,
  baseUrl,
  config,
}: Pick<Server, 'database' | 'clock' | 'keys' | 'mail' | 'baseUrl' | 'config'>): JobHandler => ({
  kind: invitationMailKind,
  leaseSeconds: 60,
  maxAttempts: 8,
  backoffSeconds: exponentialBackoff(10, 3600),
  async run({ payload }) {
    const { invitationId } = payload as { invitationId: number };
    const secret = newSecret();
    const row = await db.transaction().execute(async tx => {
      const selector = await findSelector(tx, invitationId);
      if (selector === null) return null;
      return setInvitationSecret(tx, invitationId, digestSecret(keys.pepper, selector, secret), clock.now());
    });
    if (row?.email == null) return;
    const texts = mailWords[mailLanguage(payload, config.mail)].invitation;
    const text = texts.text(toLink(baseUrl(), row.selector, secret), row.role, toUtcMinute(row.expires_at));
    await mail.send({ to: row.email, subject: texts.subject, text });
  },
});
