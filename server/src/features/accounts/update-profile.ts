// People change the name that others see.
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { type AccountRow, updateAccount } from './queries.ts';

type Ports = { readonly db: Db; readonly clock: Clock };

export const updateProfile = (
  { db, clock }: Ports,
  actor: Actor,
  nickname: string | null,
  origin: Origin,
): Promise<AccountRow> =>
  db.transaction().execute(async tx => {
    const account = await updateAccount(tx, actor.tenantId, actor.userId, { nickname });
    const { tenantId } = actor;
    await appendAudit(
      tx,
      {
        tenantId,
        who: actor,
        module: 'accounts',
        operation: 'update-profile',
        description: 'profile changed',
        param: { nickname },
        origin,
      },
      clock.now(),
    );
    return account;
  });
