// Batched deletion of a tenant's rows.
import { sql } from 'kysely';
import type { Engine } from './open-db.ts';
import type { Key, Tables, Time, Tx } from './tables.ts';

type Some = { readonly engine: Engine; readonly tenantId: Key; readonly limit: number; readonly now: Time };

/** Deletes up to `limit` rows of the tenant and returns their number; fewer means that none is left. */
export type EraseSome = (tx: Tx, some: Some) => Promise<number>;

const rowName = { sqlite: 'rowid', postgres: 'ctid' } as const;

type Parent<Child extends keyof Tables> = { readonly by: keyof Tables[Child] & string; readonly of: keyof Tables };

/** For a table with a tenant column, or a child table of one. */
export const rowsOf =
  <Child extends keyof Tables>(table: Child, parent?: Parent<Child>): EraseSome =>
  async (tx, { engine, tenantId, limit }) => {
    const row = sql.raw(rowName[engine]);
    const isOfTenant = parent
      ? sql`${sql.ref(parent.by)} in (select id from ${sql.table(parent.of)} where tenant_id = ${tenantId})`
      : sql`tenant_id = ${tenantId}`;
    const some = sql`select ${row} from ${sql.table(table)} where ${isOfTenant} limit ${limit}`;
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${row} in (${some})`.execute(tx);
    return Number(numAffectedRows ?? 0);
  };
