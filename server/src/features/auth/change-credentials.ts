// A new password (by the old one, or by a mailed code) or a new address. With a new password every other session ends; a
// new address needs the password, and the old address is told. Wrong passwords count like wrong logins.
import type { KeyObject } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { hashPassword } from '../../platform/crypto/password-hash.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { type AccountRow, endAllSessions, findAccount, findAccountByEmail, updateAccount } from '../accounts/index.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { accountSubject, attemptPassword, emailSubject, nameSubject } from './attempts.ts';
import { withMailCode } from './mail-codes.ts';
import { clearLoginFailures } from './queries.ts';
import { noticeJobKind } from './send-notice.ts';
import type { Session, Tokens } from './tokens.ts';

type Ports = { readonly db: Db; readonly clock: Clock; readonly pepper: KeyObject; readonly tokens: Tokens };

/** Also what the command line does for an administrator who is locked out. */
export async function setPassword(tx: Tx, account: AccountRow, passwordHash: string, now: Time): Promise<AccountRow> {
  await updateAccount(tx, account.tenant_id, account.id, { password_hash: passwordHash });
  await clearLoginFailures(tx, accountSubject(account.id));
  await clearLoginFailures(tx, nameSubject(account.tenant_id, account.username));
  await clearLoginFailures(tx, emailSubject(account.email));
  const auth_version = await endAllSessions(tx, account.tenant_id, account.id, now);
  return { ...account, auth_version, password_hash: passwordHash };
}

const auditOf = (
  account: { tenant_id: Key; id: Key; username: string },
  operation: string,
  description: string,
  origin: Origin,
) => ({
  tenantId: account.tenant_id,
  who: { userId: account.id, username: account.username },
  module: 'auth',
  operation,
  description,
  origin,
});

export async function resetPassword(
  ports: Ports,
  body: { email: string; code: string; password: string },
  origin: Origin,
): Promise<null> {
  const { email, code } = body;
  const passwordHash = await hashPassword(body.password);
  await withMailCode(ports, { email, type: 'reset', code }, async tx => {
    const account = await findAccountByEmail(tx, email);
    if (!account) throw new ApiError('AUTH_CODE_ERROR');
    const now = ports.clock.now();
    await setPassword(tx, account, passwordHash, now);
    const entry = auditOf(account, 'reset-password', 'password reset by mailed code', origin);
    await appendAudit(tx, entry, now);
  });
  return null;
}

export async function changePassword(
  { db, clock, tokens }: Ports,
  actor: Actor,
  body: { oldPassword: string; newPassword: string },
  origin: Origin,
): Promise<Session> {
  const account = await provePassword({ db, clock }, actor, body.oldPassword, 'change-password', origin);
  const passwordHash = await hashPassword(body.newPassword);
  const changed = await db.transaction().execute(async tx => {
    const now = clock.now();
    const renewed = await setPassword(tx, account, passwordHash, now);
    await appendAudit(tx, auditOf(account, 'change-password', 'password changed', origin), now);
    return renewed;
  });
  return tokens.issue(changed);
}

async function provePassword(
  { db, clock }: Pick<Ports, 'db' | 'clock'>,
  actor: Actor,
  password: string,
  operation: string,
  origin: Origin,
): Promise<AccountRow> {
  const account = await findAccount(db, actor.tenantId, actor.userId);
  return attemptPassword(
    { db, clock },
    {
      subject: accountSubject(actor.userId),
      account,
      password,
      audit: { tenantId: actor.tenantId, who: actor, module: 'auth', operation, origin },
      descriptions: { right: 'password proven', wrong: 'wrong password given' },
    },
  );
}

export async function changeEmail(
  ports: Ports,
  actor: Actor,
  body: { email: string; code: string; password: string },
  origin: Origin,
): Promise<AccountRow> {
  const { email, code } = body;
  const before = await provePassword(ports, actor, body.password, 'change-email', origin);
  return withMailCode(ports, { email, type: 'modify', code }, async tx => {
    if (await findAccountByEmail(tx, email)) throw new ApiError('USER_HAS_EXISTED');
    const account = await updateAccount(tx, actor.tenantId, actor.userId, { email });
    const now = ports.clock.now();
    await appendAudit(tx, auditOf(account, 'change-email', 'e-mail address changed', origin), now);
    await enqueue(tx, { kind: noticeJobKind, payload: { address: before.email } }, now);
    return account;
  });
}
