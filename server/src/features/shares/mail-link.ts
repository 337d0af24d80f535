// Mailing the link of a share to one recipient. The message of the owner is quoted, so that it cannot be mistaken for
// text of the server.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { type MailTexts, mailWords } from '@recordproof/shared/words/mails.ts';
import { localCall } from '../../platform/call.ts';
import { toUtcMinute } from '../../platform/clock.ts';
import { findWhere, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { mailLanguage } from '../../platform/mail/mail.ts';
import { mailJob } from '../../platform/mail/mail-job.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, displayName, findAccount } from '../accounts/index.ts';
import { appendAudit } from '../audit/index.ts';
import { toEntry, withoutCode } from './audit-entry.ts';
import { isPrivate, rejectionOf } from './policy.ts';
import type { ShareRow } from './queries.ts';
import { type RecipientRow, shareMailKind } from './recipients.ts';

type Mailing = Pick<Server, 'database' | 'clock' | 'mail' | 'baseUrl' | 'config'>;

/** Sent before it is recorded: after a crash in between the mail is sent twice rather than never. */
export const mailLinkJob = (server: Mailing): JobHandler =>
  mailJob(shareMailKind, async ({ payload }) => {
    const { recipientId } = payload as { recipientId: Key };
    const found = await findMailing(server.database.db, recipientId, server.clock.now());
    if (found === null) return;
    const { recipient, share, owner, to } = found;
    const name = toShownName(displayName(owner));
    const texts = mailWords[mailLanguage(payload, server.config.mail)].share;
    await server.mail.send({ to, ...toLetter(share, name, `${server.baseUrl()}/s/${share.code}`, texts) });
    await note(server, recipient, share);
  });

type LinkMail = {
  readonly recipient: RecipientRow;
  readonly share: ShareRow;
  readonly owner: AccountRow;
  readonly to: string;
};

/**
 * Null if there is nothing to send: it was mailed or removed from the list, or the share, its owner or the account has
 * ended.
 */
async function findMailing(db: Db, recipientId: Key, now: number): Promise<LinkMail | null> {
  const recipient = await selectWhere(db, 'share_recipient', { id: recipientId })
    .selectAll()
    .where('mailed_at', 'is', null)
    .executeTakeFirst();
  if (recipient === undefined) return null;
  const { tenant_id, share_id, account_id } = recipient;
  const share = await findWhere(db, 'share', { tenant_id, id: share_id });
  if (share === null || rejectionOf(share, now, true) !== null) return null;
  const owner = await findAccount(db, tenant_id, share.owner_id);
  const account = account_id === null ? null : await findAccount(db, tenant_id, account_id);
  const to = account_id === null ? recipient.recipient : account?.status === 'ACTIVE' ? account.email : null;
  return owner?.status === 'ACTIVE' && to !== null ? { recipient, share, owner, to } : null;
}

async function note({ database, clock }: Mailing, { id, recipient }: RecipientRow, share: ShareRow): Promise<void> {
  const now = clock.now();
  await database.db.transaction().execute(async tx => {
    const { numUpdatedRows } = await tx
      .updateTable('share_recipient')
      .set({ mailed_at: now })
      .where('tenant_id', '=', share.tenant_id)
      .where('id', '=', id)
      .where('mailed_at', 'is', null)
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 0) return;
    const call = localCall(shareMailKind, share.tenant_id, now);
    await appendAudit(tx, withoutCode(call, call.actor, share.code), toEntry('mail', share, { recipient }), now);
  });
}

const quote = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map(line => `> ${line}`)
    .join('\n');

function toLetter(share: ShareRow, name: string, link: string, texts: MailTexts['share']) {
  const { title, message } = share;
  const paragraphs = [
    texts.lead(name, toUtcMinute(share.expire_at)),
    link,
    ...(title === null ? [] : [texts.title(title)]),
    ...(message === null ? [] : [`${texts.writes(name)}\n\n${quote(message)}`]),
    ...(share.password_hash === null ? [] : [texts.password]),
    ...(isPrivate(share) ? [texts.account] : []),
    texts.closing,
    '',
  ];
  const subject = title === null ? texts.subject(name) : texts.subjectOf(name, title);
  return { subject, text: paragraphs.join('\n\n') };
}
