// Writes audit rows at the end of their tenant's chain, in the transaction of the change they tell of.
import { type Call, callAs, type Party } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { hashRow, startOfChain } from './chain.ts';

export type AuditEntry = {
  readonly module: string;
  readonly operation: string;
  readonly description: string;
  /** What was asked for, without anything secret: the caller picks the fields. */
  readonly param?: Readonly<Record<string, unknown>>;
  readonly errorMessage?: string;
};

const maxParamCharacters = 2000;

/** In which tenant, by whom and from where is what the call says. */
export type AuditNote = { readonly call: Call<Party>; readonly entry: AuditEntry };

export const appendAudit = (tx: Tx, call: Call<Party>, entry: AuditEntry, now: Time): Promise<void> =>
  appendAudits(tx, [{ call, entry }], now);

/** In this order; the chains of several tenants are taken in one order everywhere. */
export async function appendAudits(tx: Tx, notes: readonly AuditNote[], now: Time): Promise<void> {
  const byTenant = Map.groupBy(notes, ({ call }) => call.actor.tenantId);
  for (const [tenantId, some] of [...byTenant].sort(([a], [b]) => a - b)) await appendTo(tx, tenantId, some, now);
}

async function appendTo(tx: Tx, tenantId: Key, notes: readonly AuditNote[], now: Time): Promise<void> {
  const head = await tx
    .insertInto('audit_head')
    .values({ tenant_id: tenantId, length: notes.length, hash: startOfChain })
    .onConflict(conflict =>
      conflict
        .column('tenant_id')
        .doUpdateSet(eb => ({ length: eb('audit_head.length', '+', eb.ref('excluded.length')) })),
    )
    .returning(['length', 'hash'])
    .executeTakeFirstOrThrow();
  let { hash } = head;
  const rows = notes.map((one, index) => {
    const row = toRow(one, head.length - notes.length + 1 + index, now);
    const previous_hash = hash;
    hash = hashRow(previous_hash, tenantId, row);
    return { ...row, tenant_id: tenantId, previous_hash, hash };
  });
  await tx.insertInto('audit_log').values(rows).execute();
  await tx.updateTable('audit_head').set({ hash }).where('tenant_id', '=', tenantId).execute();
}

function toRow({ call, entry }: AuditNote, position: number, now: Time) {
  const { actor, ...origin } = callAs(call, call.actor);
  return {
    position,
    module: entry.module,
    operation_type: entry.operation,
    description: entry.description,
    method: `${entry.module}.${entry.operation}`,
    request_url: origin.url,
    request_method: origin.method,
    request_ip: origin.ip,
    request_param: JSON.stringify(entry.param ?? {}).slice(0, maxParamCharacters),
    status: entry.errorMessage === undefined ? 0 : 1,
    error_msg: entry.errorMessage ?? null,
    user_id: actor.userId,
    username: actor.username,
    operation_time: now,
    execution_time: Math.max(0, now - origin.startedAt),
  };
}
