// SQL that links new audit rows to the ends of their chains. Chains of several tenants are locked in the order of their
// ids.
import { sql } from 'kysely';
import { insertInto, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { findAuditHead } from './chain-ends.ts';
import { hashRow, type LinkedRow, startOfChain, toTail } from './hash-chain.ts';
import { packTexts } from './packed-row.ts';

export type UnlinkedRow = Omit<LinkedRow, 'position'> & { readonly tenant_id: Key };

/** The columns that do not depend on the position in the chain. */
function toColumns(row: UnlinkedRow) {
  const { description, method, request_url, request_method, request_param, ...columns } = row;
  return { ...columns, packed: packTexts(row) };
}

const groupByTenant = (rows: readonly UnlinkedRow[]): [Key, UnlinkedRow[]][] =>
  [...Map.groupBy(rows, row => row.tenant_id)].sort(([a], [b]) => a - b);

/** SQLite has a single writer, so each step may be a statement of its own. */
export async function linkOnSqlite(tx: Tx, all: readonly UnlinkedRow[]): Promise<void> {
  for (const [tenantId, rows] of groupByTenant(all)) {
    const head = await findAuditHead(tx, tenantId);
    let { hash } = head;
    const linked = rows.map((row, index) => {
      const position = head.position + 1 + index;
      hash = hashRow(hash, tenantId, position, toTail(row));
      return { ...toColumns(row), position, hash: Buffer.from(hash, 'hex') };
    });
    await insertInto(tx, 'audit_log', linked);
    const next = { length: head.position + rows.length, hash };
    await tx
      .insertInto('audit_head')
      .values({ tenant_id: tenantId, ...next })
      .onConflict(conflict => conflict.column('tenant_id').doUpdateSet(next))
      .execute();
  }
}

/** One statement locks the heads, computes the links and updates the heads; a chain without a head costs two more. */
export async function linkOnPostgres(tx: Tx, rows: readonly UnlinkedRow[]): Promise<void> {
  const chains = groupByTenant(rows);
  const moved = await moveHeads(tx, chains);
  const rest = chains.filter(([tenantId]) => !moved.has(tenantId));
  if (rest.length === 0) return;
  await tx
    .insertInto('audit_head')
    .values(rest.map(([tenant_id]) => ({ tenant_id, length: 0, hash: startOfChain })))
    .onConflict(conflict => conflict.doNothing())
    .execute();
  const begun = await moveHeads(tx, rest);
  if (begun.size < rest.length) throw new Error(`the audit_head row of ${rest.length - begun.size} tenants is missing`);
}

/** Returns the chains that were extended. */
async function moveHeads(tx: Tx, chains: readonly [Key, readonly UnlinkedRow[]][]): Promise<ReadonlySet<Key>> {
  const entries = chains.flatMap(([, rows]) =>
    rows.map((row, index) => {
      const { packed, ...columns } = toColumns(row);
      const chained = { nth: index + 1, is_last: index + 1 === rows.length, tail: toTail(row) };
      return { ...columns, ...chained, packed: packed.toString('hex') };
    }),
  );
  const { rows } = await sql<{ tenant_id: Key }>`
    with recursive entry as materialized (
      select * from json_to_recordset(${JSON.stringify(entries)}::json) as entry (
        tenant_id bigint, nth bigint, is_last boolean, tail text,
        module text, operation_type text, packed text, request_ip text, status bigint, error_msg text, user_id bigint,
        username text, operation_time bigint, execution_time bigint
      )
    ), head as materialized (
      select tenant_id, length, hash from audit_head
      where tenant_id in (select tenant_id from entry) order by tenant_id for update
    ), link as (
      select tenant_id, length as position, 0::bigint as nth, false as is_last, hash from head
      union all
      select entry.tenant_id, link.position + 1, entry.nth, entry.is_last,
        encode(sha256(convert_to(
          '["' || link.hash || '",' || entry.tenant_id || ',' || (link.position + 1) || ',' || entry.tail, 'UTF8'
        )), 'hex')
      from link join entry on entry.tenant_id = link.tenant_id and entry.nth = link.nth + 1
    ), written as (
      insert into audit_log (
        tenant_id, position, module, operation_type, packed, request_ip, status, error_msg, user_id, username,
        operation_time, execution_time, hash
      )
      select tenant_id, position, module, operation_type, decode(packed, 'hex'), request_ip, status, error_msg, user_id,
        username, operation_time, execution_time, decode(hash, 'hex')
      from link join entry using (tenant_id, nth)
    )
    update audit_head set length = link.position, hash = link.hash
    from link where link.tenant_id = audit_head.tenant_id and link.is_last
    returning audit_head.tenant_id`.execute(tx);
  return new Set(rows.map(({ tenant_id }) => tenant_id));
}

/** When the operation was last done; null if never. */
export async function findNewestOperation(
  db: Db,
  tenantId: Key,
  { module, operation }: { readonly module: string; readonly operation: string },
): Promise<Time | null> {
  const row = await selectWhere(db, 'audit_log', { tenant_id: tenantId, module, operation_type: operation })
    .select('operation_time')
    .orderBy('operation_time', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.operation_time ?? null;
}
