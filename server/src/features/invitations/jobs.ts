// Jobs of invitations: their mails, whose secret is generated here, so that it is readable only in the mail; and the
// deletion of ended ones after a retention period, because they contain mail addresses.
import { mailWords } from '@recordproof/shared/words/mails.ts';
import { toUtcMinute } from '../../platform/clock.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Schedule } from '../../platform/jobs/schedules.ts';
import { mailLanguage } from '../../platform/mail/mail.ts';
import { mailJob } from '../../platform/mail/mail-job.ts';
import type { Server } from '../../platform/server.ts';
import { digestSecret, newSecret, toLink } from './codes.ts';
import { deleteEndedInvitations, findSelector, setInvitationSecret } from './queries.ts';

export const invitationMailKind = 'invitations.send';

export const sendInvitationJob = ({
  database: { db },
  clock,
  keys,
  mail,
  baseUrl,
  config,
}: Pick<Server, 'database' | 'clock' | 'keys' | 'mail' | 'baseUrl' | 'config'>): JobHandler =>
  mailJob(invitationMailKind, async ({ payload }) => {
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
  });

const kind = 'invitations.purge';
const keptMs = 90 * 86_400_000;

export const purgeSchedule: Schedule = { name: kind, everySeconds: 86_400, jobKind: kind };

export const purgeInvitations = ({ database, clock, log }: Pick<Server, 'database' | 'clock' | 'log'>): JobHandler => ({
  kind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(60, 600),
  run: async () => {
    const invitations = await deleteEndedInvitations(database.db, clock.now() - keptMs);
    if (invitations > 0) log.info({ invitations }, 'deleted expired invitations');
  },
});
