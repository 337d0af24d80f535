// Benchmark of the audit log screens over 1,000,000 rows of half a year, on both databases.
//   node test/bench/audit.ts [rows] [engine]

import { migrations } from '@recordproof/server/compose/features.ts';
import { insertTenant } from '@recordproof/server/features/accounts/index.ts';
import { countAll } from '@recordproof/server/features/audit-review/count-rows.ts';
import { listLogs, listSensitive } from '@recordproof/server/features/audit-review/list-logs.ts';
import { getOverview } from '@recordproof/server/features/audit-review/overview.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import { searchAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import { sql } from 'kysely';
import { onEachEngine } from '../support/bench-engines.ts';
import { type Measured, printFigures, timeCalls } from '../support/bench-figures.ts';
import { openTestDatabase } from '../support/database-address.ts';
import { auditHeadOf, auditOf, writeMany } from '../support/many-rows.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const rounds = 7;
const now = Date.UTC(2026, 5, 30, 18);
const span = 180 * 24 * 3_600_000;

async function fill(database: Database, tenantId: number): Promise<void> {
  const { kind, db } = database;
  const time = { from: now - span, stepMs: Math.floor(span / rows) };
  await writeMany(database, auditOf(kind, tenantId, { above: 0, upTo: rows }, time), ...auditHeadOf(tenantId, rows));
  await sql.raw(kind === 'sqlite' ? 'analyze' : 'vacuum analyze audit_log').execute(db);
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
    ['all, middle page of 100', find({ page: Math.ceil(rows / 200), size: 100 })],
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
  const counted = (performance.now() - start) / 1000;
  const figures: Measured[] = [{ name: 'counting all rows', unit: 's', samples: counted }];
  for (const [name, work] of toCases({ database }, tenantId)) {
    const { total } = await work();
    figures.push({ name, unit: 'ms', samples: await timeCalls(rounds, work), note: `${total} rows` });
  }
  printFigures(`${database.kind}, ${rows} rows`, figures);
}

await onEachEngine(process.argv[3], async address => {
  const database = await openTestDatabase(address);
  await measure(database).finally(() => database.close());
});
