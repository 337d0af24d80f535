// All SQL on events.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Audience, Notice } from './notice.ts';

const noOne = { user_id: null, roles: null };

const toAddressees = (to: Audience): { user_id: Key | null; roles: string | null }[] => {
  switch (to.kind) {
    case 'users':
      return [...new Set(to.userIds)].map(userId => ({ ...noOne, user_id: userId }));
    case 'roles':
      return [{ ...noOne, roles: to.roles.join(' ') }];
    case 'tenant':
      return [noOne];
  }
};

export async function insertEvents(tx: Tx, { tenantId, to, type, payload }: Notice, createdAt: Time): Promise<void> {
  const rows = toAddressees(to).map(addressee => ({
    tenant_id: tenantId,
    ...addressee,
    type,
    payload: JSON.stringify(payload),
    created_at: createdAt,
  }));
  await tx.insertInto('event').values(rows).execute();
}
