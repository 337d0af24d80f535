// Invitation mails. The secret is generated here, so that it is readable only in the mail.
import { toIso } from '../../platform/clock.ts';
import { exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { digestSecret, newSecret, toLink } from './codes.ts';
import { findSelector, setInvitationSecret } from './queries.ts';

export const invitationMailKind = 'invitations.send';

const toText = (link: string, role: string, expiresAt: number): string =>
  `You are invited to open a RecordProof account with the role "${role}".

Open this link and choose a user name and a password:

${link}

It works once, until ${toIso(expiresAt).slice(0, 16).replace('T', ' ')} UTC. Do not pass it on. On the command line:

recordproof register --invitation <the link>

If you do not know who invited you, ignore this mail.
`;

export const sendInvitationJob = ({
  database: { db },
  clock,
  keys,
  mail,
  baseUrl,
}: Pick<Server, 'database' | 'clock' | 'keys' | 'mail' | 'baseUrl'>): JobHandler => ({
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
    const text = toText(toLink(baseUrl(), row.selector, secret), row.role, row.expires_at);
    await mail.send({ to: row.email, subject: 'Your RecordProof invitation', text });
  },
});
