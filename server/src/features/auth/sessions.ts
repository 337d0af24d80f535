// Session end and renewal, and deletion of sign-in data: when it has expired, or with its account.
import type { Call } from '../../platform/call.ts';
import { deleteWhere } from '../../platform/db/rows.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { newTokenId } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, endAllSessions } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { endSession, rejectUnenrolled, replaceToken } from './change-session.ts';
import { knownAddressLifetimeMs } from './known-addresses.ts';
import { unlockAccount } from './lockout.ts';
import { sweepExpired } from './queries.ts';
import type { Session } from './tokens.ts';

export async function logout(
  { database, clock, tokens }: Pick<Server, 'database' | 'clock' | 'tokens'>,
  call: Call,
  everywhere: boolean,
): Promise<void> {
  const { actor } = call;
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    if (everywhere) await endAllSessions(tx, actor.tenantId, actor.userId, now);
    await endSession(tx, tokens, actor, now);
    const description = everywhere ? 'logged out everywhere' : 'logged out';
    await recordAudit(tx, call, now, 'auth.logout', description);
  });
}

export async function refreshToken(
  { database, clock, tokens }: Pick<Server, 'database' | 'clock' | 'tokens'>,
  call: Call,
): Promise<Session> {
  const tokenId = newTokenId();
  const account = await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const successor = { tokenId, expiresAt: now + tokens.lifetimeSeconds * 1000 };
    const account = await replaceToken(tx, call.actor, successor, now);
    await rejectUnenrolled(tx, account, tokenId, now);
    await recordAudit(tx, call, now, 'auth.refresh-token', 'session renewed');
    return account;
  });
  return tokens.issue(account, { tokenId, authenticatedAt: call.actor.authenticatedAt ?? 0 });
}

const dayMs = 24 * 3600_000;
const failuresKeptMs = dayMs;
/** Longer than their tokens are valid: a clock that was some days ahead must not revive revoked tokens. */
const revocationsKeptMs = 7 * dayMs;

export const sweepJob = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: 'auth.sweep',
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: () => 60,
  run: async () => {
    const now = clock.now();
    const bounds = {
      now,
      revocationsBefore: now - revocationsKeptMs,
      failuresBefore: now - failuresKeptMs,
      addressesBefore: now - knownAddressLifetimeMs,
    };
    await database.db.transaction().execute(tx => sweepExpired(tx, bounds));
  },
});

export async function eraseSignIns(tx: Tx, account: AccountRow): Promise<void> {
  const { id, tenant_id, email } = account;
  await unlockAccount(tx, account);
  for (const table of ['known_address', 'known_device', 'kept_session', 'session', 'pending_sign_in'] as const)
    await deleteWhere(tx, table, { tenant_id, user_id: id });
  await deleteWhere(tx, 'mail_code', { email });
}
