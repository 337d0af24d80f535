// Writing what an installation administrator does to a tenant into two audit chains: the administrator's and the
// tenant's.
import { anonymousParty, type Call, callAs, type Party } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { recordAudit } from '../audit/index.ts';

type Deed = {
  readonly tenantId: Key;
  readonly method: `tenants.${string}`;
  readonly description: string;
  readonly param: Readonly<Record<string, unknown>>;
};

export async function auditBoth(
  tx: Tx,
  call: Call<Party>,
  { tenantId, method, description, param }: Deed,
  now: Time,
): Promise<void> {
  const { username } = call.actor;
  await recordAudit(tx, call, now, method, description, { tenantId, ...param });
  if (call.actor.tenantId === tenantId) return;
  await recordAudit(tx, callAs(call, anonymousParty(tenantId)), now, method, description, { ...param, by: username });
}
