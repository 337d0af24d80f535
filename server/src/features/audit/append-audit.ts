// Appending audit rows to their tenant's chain, in the transaction of the change they record. The chain head is one row
// per tenant, so it is locked by the last statement before the commit and by no earlier one.
import { type Call, callAs, type Party } from '../../platform/call.ts';
import { type DeferredWrites, deferToCommit } from '../../platform/db/deferred-writes.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { linkOnPostgres, linkOnSqlite, type UnlinkedRow } from './queries.ts';

export type AuditEntry = {
  readonly module: string;
  readonly operation: string;
  readonly description: string;
  /** The request parameters, without secrets: the caller picks the fields. */
  readonly param?: Readonly<Record<string, unknown>>;
  readonly errorMessage?: string;
};

const maxParamCharacters = 2000;

/** Tenant, actor and origin come from the call. */
export type AuditNote = { readonly call: Call<Party>; readonly entry: AuditEntry };

/** The usual row: the operation as `module.operation`, one sentence, and the request fields that may be shown. */
export function recordAudit(
  tx: Tx,
  call: Call<Party>,
  now: Time,
  method: `${string}.${string}`,
  description: string,
  param: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const at = method.indexOf('.');
  const entry = { module: method.slice(0, at), operation: method.slice(at + 1), description, param };
  return appendAudit(tx, call, entry, now);
}

export const appendAudit = (tx: Tx, call: Call<Party>, entry: AuditEntry, now: Time): Promise<void> =>
  appendAudits(tx, [{ call, entry }], now);

/** In this order. Durable with the commit. */
export const appendAudits = (tx: Tx, notes: readonly AuditNote[], now: Time): Promise<void> =>
  deferToCommit(
    tx,
    auditRows,
    notes.map(note => toRow(note, now)),
  );

const auditRows: DeferredWrites<UnlinkedRow> = {
  order: 2,
  write: (tx, engine, rows) => (engine === 'postgres' ? linkOnPostgres : linkOnSqlite)(tx, rows),
};

/** Text that a database returns unchanged: an unpaired surrogate would not be what was hashed. */
const toText = (text: string): string => text.toWellFormed();

/** For a call with an API token or through a drop link, its id comes first, so that truncation never removes it. */
function toParam({ apiToken, dropLinkId }: Party, { param = {} }: AuditEntry): Readonly<Record<string, unknown>> {
  if (dropLinkId !== undefined) return { dropLinkId, ...param };
  return apiToken === undefined ? param : { apiToken: { id: apiToken.id, name: apiToken.name }, ...param };
}

function toRow({ call, entry }: AuditNote, now: Time): UnlinkedRow {
  const { actor, ...origin } = callAs(call, call.actor);
  const isOfAccount = actor.dropLinkId === undefined;
  return {
    tenant_id: actor.tenantId,
    module: entry.module,
    operation_type: entry.operation,
    description: toText(entry.description),
    method: `${entry.module}.${entry.operation}`,
    request_url: toText(origin.url),
    request_method: origin.method,
    request_ip: origin.ip,
    request_param: toText(JSON.stringify(toParam(actor, entry)).slice(0, maxParamCharacters)),
    status: entry.errorMessage === undefined ? 0 : 1,
    error_msg: entry.errorMessage === undefined ? null : toText(entry.errorMessage),
    user_id: isOfAccount ? actor.userId : null,
    username: actor.username === null || !isOfAccount ? null : toText(actor.username),
    operation_time: now,
    execution_time: Math.max(0, now - origin.startedAt),
  };
}
