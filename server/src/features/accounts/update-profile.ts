// People change the name that others see.
import type { Call } from '../../platform/call.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { type AccountRow, updateAccount } from './queries.ts';

export const updateProfile = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  nickname: string | null,
): Promise<AccountRow> =>
  database.db.transaction().execute(async tx => {
    const account = await updateAccount(tx, call.actor.tenantId, call.actor.userId, { nickname });
    const entry = {
      module: 'accounts',
      operation: 'update-profile',
      description: 'profile changed',
      param: { nickname },
    };
    await appendAudit(tx, call, entry, clock.now());
    return account;
  });
