// Ending every session of an account of the tenant, by an administrator, for example after a device is lost. The
// account itself is unchanged.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { endAllSessions } from './end-sessions.ts';
import { findAccount } from './queries.ts';
import { rejectUnmanageable } from './reject-change.ts';

export const endUserSessions = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  accountId: Key,
): Promise<void> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    const account = await findAccount(tx, tenantId, accountId);
    if (!account) throw new ApiError('USER_NOT_EXIST');
    rejectUnmanageable(call, account);
    await endAllSessions(tx, tenantId, accountId, clock.now());
    await recordAudit(
      tx,
      call,
      clock.now(),
      'accounts.end-sessions',
      `sessions of ${account.username} ended by an administrator`,
      { accountId },
    );
  });
