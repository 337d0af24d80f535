// Changes of the own profile: the name that others see.
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { type AccountRow, updateAccount } from './queries.ts';

export const updateProfile = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  nickname: string | null,
): Promise<AccountRow> =>
  database.db.transaction().execute(async tx => {
    const account = await updateAccount(tx, call.actor.tenantId, call.actor.userId, { nickname });
    await recordAudit(tx, call, clock.now(), 'accounts.update-profile', 'profile changed', { nickname });
    return account;
  });
