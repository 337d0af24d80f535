// Writes one audit row at the end of its tenant's chain, in the transaction of the change it tells of.
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Request } from '../../platform/http/route.ts';
import { hashRow, startOfChain } from './chain.ts';

/** Where a change came from. */
export type Origin = {
  readonly ip: string;
  readonly url: string;
  readonly requestMethod: string;
  readonly startedAt: Time;
};

export type AuditEntry = {
  readonly tenantId: Key;
  readonly who: { readonly userId: Key; readonly username: string } | null;
  readonly module: string;
  readonly operation: string;
  readonly description: string;
  /** What was asked for, without anything secret: the caller picks the fields. */
  readonly param?: Readonly<Record<string, unknown>>;
  readonly errorMessage?: string;
  readonly origin: Origin;
};

const maxParamCharacters = 2000;

export const originOf = (request: Pick<Request, 'ip' | 'url' | 'method' | 'startedAt'>): Origin => ({
  ip: request.ip,
  url: request.url.slice(0, 500),
  requestMethod: request.method,
  startedAt: request.startedAt,
});

/** For changes that no request asked for: the command line, jobs. */
export const localOrigin = (what: string, now: Time): Origin => ({
  ip: 'local',
  url: what,
  requestMethod: 'LOCAL',
  startedAt: now,
});

export async function appendAudit(tx: Tx, entry: AuditEntry, now: Time): Promise<void> {
  const head = await tx
    .insertInto('audit_head')
    .values({ tenant_id: entry.tenantId, length: 1, hash: startOfChain })
    .onConflict(conflict =>
      conflict.column('tenant_id').doUpdateSet(eb => ({ length: eb('audit_head.length', '+', 1) })),
    )
    .returning(['length', 'hash'])
    .executeTakeFirstOrThrow();
  const row = {
    position: head.length,
    module: entry.module,
    operation_type: entry.operation,
    description: entry.description,
    method: `${entry.module}.${entry.operation}`,
    request_url: entry.origin.url,
    request_method: entry.origin.requestMethod,
    request_ip: entry.origin.ip,
    request_param: JSON.stringify(entry.param ?? {}).slice(0, maxParamCharacters),
    status: entry.errorMessage === undefined ? 0 : 1,
    error_msg: entry.errorMessage ?? null,
    user_id: entry.who?.userId ?? null,
    username: entry.who?.username ?? null,
    operation_time: now,
    execution_time: Math.max(0, now - entry.origin.startedAt),
  };
  const hash = hashRow(head.hash, entry.tenantId, row);
  await tx
    .insertInto('audit_log')
    .values({ ...row, tenant_id: entry.tenantId, previous_hash: head.hash, hash })
    .execute();
  await tx.updateTable('audit_head').set({ hash }).where('tenant_id', '=', entry.tenantId).execute();
}
