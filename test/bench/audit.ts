// How long the screens of the audit log take over 1,000,000 rows of half a year, on both databases.
//   node test/bench/audit.ts [rows] [engine]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { insertTenant } from '@recordproof/server/features/accounts/index.ts';
import { countAll } from '@recordproof/server/features/audit-review/count-rows.ts';
import { listLogs, listSensitive } from '@recordproof/server/features/audit-review/list-logs.ts';
import { getOverview } from '@recordproof/server/features/audit-review/overview.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Database, Engine } from '@recordproof/server/platform/db/open-db.ts';
import { searchAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import { sql } from 'kysely';
import { openPlace } from '../support/place.ts';
import { postgres } from '../support/postgres.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const rounds = 7;
const now = Date.UTC(2026, 5, 30, 18);
const span = 180 * 24 * 3_600_000;

/** Twenty kinds of operations, a thousand users, every fiftieth refused. The hashes are none: nobody checks them here. */
async function fill({ db, kind }: Database, tenantId: number): Promise<void> {
  const numbers =
    kind === 'sqlite'
      ? `with recursive series(n) as (select 1 union all select n + 1 from series where n < ${rows})`
      : `with series as (select n from generate_series(1::bigint, ${rows}) n)`;
  const modules = ['files', 'auth', 'shares', 'tickets', 'accounts'];
  const module = `case n % 5 ${modules.map((name, at) => `when ${at} then '${name}'`).join(' ')} end`;
  await db.transaction().execute(async tx => {
    if (kind === 'postgres') await sql`set local statement_timeout = 0`.execute(tx);
    await sql
      .raw(
        `insert into audit_log (tenant_id, position, module, operation_type, description, method, request_url, request_method,
          request_ip, request_param, status, error_msg, user_id, username, operation_time, execution_time, previous_hash, hash)
         ${numbers} select ${tenantId}, n, ${module}, 'operation-' || (n % 4), 'something was done to file ' || n, 'a.b',
          '/api/v1/files/something', 'POST', '192.0.2.' || (n % 200), '{"fileId":' || n || '}', case when n % 50 = 0 then 1 else 0 end,
          case when n % 50 = 0 then 'refused' end, n * 7919 % 1000 + 1, 'user-' || (n * 7919 % 1000 + 1),
          ${now - span} + n * ${Math.floor(span / rows)}, 5, 'x', 'x' from series`,
      )
      .execute(tx);
    await tx.insertInto('audit_head').values({ tenant_id: tenantId, length: rows, hash: 'x' }).execute();
  });
  await sql.raw(kind === 'sqlite' ? 'analyze' : 'vacuum analyze audit_log').execute(db);
}

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

type Case = readonly [name: string, work: () => Promise<{ readonly total: number }>];

function toCases(server: { readonly database: Database }, tenantId: number): Case[] {
  const parse = (body: object) => searchAuditLogs.body?.parse(body) ?? raise();
  const find = (body: object) => () => listLogs(server, tenantId, parse(body));
  const ago = (days: number) => new Date(now - days * 24 * 3_600_000).toISOString();
  const clock = { now: () => now };
  return [
    ['overview', async () => ({ total: (await getOverview({ ...server, clock }, tenantId)).totalOperations })],
    ['all, page 1', find({})],
    ['all, middle page of 100', find({ page: rows / 200, size: 100 })],
    ['a user', find({ userId: '77' })],
    ['a user, refused', find({ userId: '77', status: 1 })],
    ['a user name', find({ username: 'user-78' })],
    ['an address', find({ requestIp: '192.0.2.7' })],
    ['a module', find({ module: 'shares' })],
    ['a module, page 100', find({ module: 'shares', page: 100 })],
    ['an operation', find({ module: 'shares', operationType: 'operation-2' })],
    ['a module and a user', find({ module: 'files', userId: '5' })],
    ['refused', find({ status: 1 })],
    ['done', find({ status: 0 })],
    ['a day', find({ startTime: ago(10), endTime: ago(9) })],
    ['half of the time', find({ startTime: ago(90) })],
    ['a module in a month', find({ module: 'auth', startTime: ago(60), endTime: ago(30) })],
    ['sensitive', () => listSensitive(server, tenantId, parse({}))],
  ];
}

const raise = (): never => {
  throw new Error('the contract has a body');
};

async function measure(database: Database): Promise<void> {
  await migrate(database.db, database.kind, migrations, 0);
  const tenantId = await database.db.transaction().execute(tx => insertTenant(tx, 'bench', 0));
  await fill(database, tenantId);
  const start = performance.now();
  await countAll({ database }, tenantId);
  console.log(`\n${database.kind}: ${rows} rows, counted in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  for (const [name, work] of toCases({ database }, tenantId)) {
    const { total } = await work();
    console.log(name.padEnd(26), (await medianMs(work)).toFixed(1).padStart(8), 'ms', `${total} rows`.padStart(14));
  }
}

const engines: Readonly<Record<Engine, () => Promise<void>>> = {
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
    const database = await openPlace({ kind: 'sqlite', at: join(folder, 'bench.db') });
    await measure(database).finally(() => database.close());
    rmSync(folder, { recursive: true, force: true });
  },
  postgres: async () => {
    const { url } = await (await postgres()).freshDatabase();
    const database = await openPlace({ kind: 'postgres', at: url });
    await measure(database).finally(() => database.close());
  },
};

const wanted = process.argv[3];
for (const [name, run] of Object.entries(engines)) if (wanted === undefined || wanted === name) await run();
process.exit(0); // takes the database server with it
