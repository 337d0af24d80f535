// Writes audit rows at the end of their tenant's chain, in the transaction of the change they tell of. The head of a chain
// is one row for a whole tenant: it is taken by the last statement before the commit and by no earlier one.
import { type Call, callAs, type Party } from '../../platform/call.ts';
import { type LastWords, leaveForTheEnd } from '../../platform/db/last-words.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { linkOnPostgres, linkOnSqlite, type UnlinkedRow } from './queries.ts';

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

/** The usual row: what was done as `module.operation`, one sentence, and the fields of the request that may be shown. */
export function recordAudit(
  tx: Tx,
  call: Call<Party>,
  now: Time,
  method: `${string}.${string}`,
  description: string,
  param: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const at = method.indexOf('.');
  return appendAudit(
    tx,
    call,
    { module: method.slice(0, at), operation: method.slice(at + 1), description, param },
    now,
  );
}

export const appendAudit = (tx: Tx, call: Call<Party>, entry: AuditEntry, now: Time): Promise<void> =>
  appendAudits(tx, [{ call, entry }], now);

/** In this order. They are there with the commit. */
export const appendAudits = (tx: Tx, notes: readonly AuditNote[], now: Time): Promise<void> =>
  leaveForTheEnd(
    tx,
    auditRows,
    notes.map(note => toRow(note, now)),
  );

const auditRows: LastWords<UnlinkedRow> = {
  turn: 2,
  write: (tx, engine, rows) => (engine === 'postgres' ? linkOnPostgres : linkOnSqlite)(tx, rows),
};

/** Text that a database gives back as it got it: half a character that was cut off would not be what was hashed. */
const toText = (text: string): string => text.toWellFormed();

function toRow({ call, entry }: AuditNote, now: Time): UnlinkedRow {
  const { actor, ...origin } = callAs(call, call.actor);
  return {
    tenant_id: actor.tenantId,
    module: entry.module,
    operation_type: entry.operation,
    description: toText(entry.description),
    method: `${entry.module}.${entry.operation}`,
    request_url: toText(origin.url),
    request_method: origin.method,
    request_ip: origin.ip,
    request_param: toText(JSON.stringify(entry.param ?? {}).slice(0, maxParamCharacters)),
    status: entry.errorMessage === undefined ? 0 : 1,
    error_msg: entry.errorMessage === undefined ? null : toText(entry.errorMessage),
    user_id: actor.userId,
    username: actor.username === null ? null : toText(actor.username),
    operation_time: now,
    execution_time: Math.max(0, now - origin.startedAt),
  };
}
