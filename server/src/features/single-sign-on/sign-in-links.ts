// One-time links with which an administrator signs in without provider and password: created on the server machine, for
// when the provider is down or misconfigured. Creation and use go to the audit log, the server log and, by mail, to all
// administrators of the tenant.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { mailWords } from '@recordproof/shared/words/mails.ts';
import { callAs, localCall } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, type JobHandler } from '../../platform/jobs/jobs.ts';
import { mailLanguage } from '../../platform/mail/mail.ts';
import { mailJob } from '../../platform/mail/mail-job.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccount, listActiveAdmins } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { type Session, type SignInRequest, startSession } from '../auth/index.ts';
import { digestOf, newSecret } from './flows.ts';
import { insertLink, takeLink } from './queries.ts';

const noticeJobKind = 'single-sign-on.link-notice';

type LinkRequest = { readonly account: AccountRow; readonly baseUrl: string; readonly minutes: number };

/** The link; its code is in the fragment, which is not sent to servers or proxies. */
export async function createSignInLink(tx: Tx, { account, baseUrl, minutes }: LinkRequest, now: Time): Promise<string> {
  const code = newSecret();
  const { id: user_id, tenant_id, username } = account;
  const expires_at = now + minutes * 60_000;
  await insertLink(tx, { code_digest: digestOf(code), tenant_id, user_id, created_at: now, expires_at });
  const call = localCall('admin sign-in-link', tenant_id, now);
  const text = `sign-in link of ${username} created on the server`;
  await recordAudit(tx, call, now, 'single-sign-on.create-link', text, { accountId: user_id, minutes });
  await notifyAdministrators(tx, account, { username }, now);
  return `${baseUrl}/app/#/sign-in-link?code=${code}`;
}

/** `ip`: where the link was used; undefined where it was created. */
type Notice = Pick<SignInRequest, 'language'> & { readonly username: string; readonly ip?: string };

async function notifyAdministrators(tx: Tx, { tenant_id: tenantId }: AccountRow, notice: Notice, now: Time) {
  for (const { id } of await listActiveAdmins(tx, tenantId)) {
    const administrator = await findAccount(tx, tenantId, id);
    if (administrator)
      await enqueue(tx, { kind: noticeJobKind, payload: { address: administrator.email, ...notice } }, now);
  }
}

export const linkNoticeJob = ({ mail, config }: Pick<Server, 'mail' | 'config'>): JobHandler =>
  mailJob(noticeJobKind, async ({ payload }) => {
    const { subject, created, used, closing } = mailWords[mailLanguage(payload, config.mail)].signInLink;
    const { address, username, ip } = payload as Notice & { readonly address: string };
    const what = ip === undefined ? created(username) : used(username, ip);
    await mail.send({ to: address, subject, text: `${what}\n\n${closing}\n` });
  });

export async function redeemSignInLink(
  server: Pick<Server, 'database' | 'clock' | 'tokens' | 'log'>,
  asking: SignInRequest,
  code: string,
): Promise<Session> {
  const account = await server.database.db.transaction().execute(async tx => {
    const now = server.clock.now();
    const link = await takeLink(tx, digestOf(code), now);
    const found = link && (await findAccount(tx, link.tenant_id, link.user_id));
    if (found?.status !== 'ACTIVE' || found.role !== 'admin')
      throw new ApiError('AUTH_CODE_ERROR', 'the sign-in link is wrong, used or expired; create another one');
    const { id: userId, tenant_id: tenantId, username } = found;
    const call = callAs(asking, { tenantId, userId, username });
    await recordAudit(tx, call, now, 'single-sign-on.use-link', `${username} signed in with a link of the server`);
    await notifyAdministrators(tx, found, { username, ip: asking.ip, language: asking.language }, now);
    return found;
  });
  server.log.warn(
    { user: account.username, ip: asking.ip },
    'an administrator signed in with a one-time link of the server',
  );
  return startSession(server, asking, account);
}
