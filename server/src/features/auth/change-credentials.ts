// Password and email changes: a new password (with the old one, or with a mailed code) or a new address. A new password
// ends all other sessions; a new address needs the password, and the old address is notified. Wrong passwords count
// like failed sign-ins.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Call, callAs, type Origin } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { newTokenId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import {
  type AccountRow,
  endAllSessions,
  findAccount,
  findAccountByEmail,
  moveToAddress,
  updateAccount,
} from '../accounts/index.ts';
import { appendAudit, recordAudit } from '../audit/index.ts';
import { listSecondFactors } from '../factors/index.ts';
import { lockSession, rejectUnenrolled } from './change-session.ts';
import { accountSubject, attemptPassword, unlockPassword } from './lockout.ts';
import { withMailCode } from './mail-codes.ts';
import { revokeToken } from './queries.ts';
import { noticeJobKind } from './send-notice.ts';
import { moveSession } from './session-queries.ts';
import type { Session } from './tokens.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** Runs before a mailed code sets a new password; an error it throws rejects the reset. */
    passwordReset: (tx: Tx, account: AccountRow) => Promise<void>;
  }
}

/** Also used by the command line for an administrator who is locked out. */
export async function setPassword(tx: Tx, account: AccountRow, passwordHash: string, now: Time): Promise<AccountRow> {
  await updateAccount(tx, account.tenant_id, account.id, { password_hash: passwordHash });
  await unlockPassword(tx, account);
  const auth_version = await endAllSessions(tx, account.tenant_id, account.id, now);
  return { ...account, auth_version, password_hash: passwordHash };
}

export async function resetPassword(
  server: Pick<Server, 'database' | 'clock' | 'keys' | 'passwords' | 'hooks'>,
  origin: Origin,
  body: { email: string; code: string; password: string },
): Promise<void> {
  const { email, code } = body;
  const passwordHash = await server.passwords.hash(body.password, origin.ip);
  await withMailCode(server, { email, type: 'reset', code }, async tx => {
    const account = await findAccountByEmail(tx, email);
    if (!account) throw new ApiError('AUTH_CODE_ERROR');
    for (const check of server.hooks.of('passwordReset')) await check(tx, account);
    const now = server.clock.now();
    await setPassword(tx, account, passwordHash, now);
    const call = callAs(origin, { tenantId: account.tenant_id, userId: account.id, username: account.username });
    await recordAudit(tx, call, now, 'auth.reset-password', 'password reset by mailed code');
  });
}

export async function changePassword(
  server: Pick<Server, 'database' | 'clock' | 'passwords' | 'tokens'>,
  call: Call,
  body: { oldPassword: string; newPassword: string },
): Promise<Session> {
  const { database, clock, tokens } = server;
  const operation = 'change-password';
  await provePassword(server, call, { password: body.oldPassword, operation });
  const passwordHash = await server.passwords.hash(body.newPassword, call.ip);
  const tokenId = newTokenId();
  const changed = await database.db.transaction().execute(async tx => {
    const { actor } = call;
    const now = clock.now();
    const before = await lockSession(tx, actor);
    await rejectUnenrolled(tx, before, actor.tokenId, now);
    const account = await setPassword(tx, before, passwordHash, now);
    // Else the password alone would stand in for the second factor.
    const isFresh = (await listSecondFactors(tx, account)).length === 0;
    const expiresAt = now + tokens.lifetimeSeconds * 1000;
    await revokeToken(tx, { tokenId: actor.tokenId, expiresAt: actor.tokenExpiresAt, successor: tokenId });
    const successor = { tokenId, expiresAt, authVersion: account.auth_version, lastUsedAt: now };
    await moveSession(tx, actor, { ...successor, ...(isFresh && { authenticatedAt: now }) });
    await appendAudit(tx, call, { module: 'auth', operation, description: 'password changed' }, now);
    return { account, authenticatedAt: isFresh ? now : (actor.authenticatedAt ?? 0) };
  });
  return tokens.issue(changed.account, { tokenId, authenticatedAt: changed.authenticatedAt });
}

export async function provePassword(
  server: Pick<Server, 'database' | 'clock' | 'passwords'>,
  call: Call,
  { password, operation }: { readonly password: string; readonly operation: string },
): Promise<AccountRow> {
  const { tenantId, userId } = call.actor;
  return attemptPassword(server, call, {
    subject: accountSubject(userId),
    account: await findAccount(server.database.db, tenantId, userId),
    password,
    entry: { operation },
    descriptions: { right: 'password proven', wrong: 'wrong password given' },
  });
}

export async function changeEmail(
  server: Pick<Server, 'database' | 'clock' | 'keys' | 'passwords'>,
  call: Call,
  body: { email: string; code: string; password: string },
): Promise<AccountRow> {
  const { email, code } = body;
  const { tenantId, userId } = call.actor;
  const operation = 'change-email';
  const before = await provePassword(server, call, { password: body.password, operation });
  return withMailCode(server, { email, type: 'modify', code }, async tx => {
    await lockSession(tx, call.actor);
    const account = await moveToAddress(tx, tenantId, userId, email);
    if (!account) throw new ApiError('USER_HAS_EXISTED');
    const now = server.clock.now();
    await appendAudit(tx, call, { module: 'auth', operation, description: 'e-mail address changed' }, now);
    const payload = { address: before.email, language: call.language };
    await enqueue(tx, { kind: noticeJobKind, payload }, now);
    return account;
  });
}
