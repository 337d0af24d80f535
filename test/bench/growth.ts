// Benchmark of growth: the same queries over 10,000 rows of each kind and over the given number, all of one owner, on
// both databases; the fastest of 21 runs each. The plan is printed where a query takes more than twice as long.
//   node test/bench/growth.ts [rows] [postgres|sqlite]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { insertTenant } from '@recordproof/server/features/accounts/index.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Database, Engine } from '@recordproof/server/platform/db/open-db.ts';
import { sql } from 'kysely';
import { listEngines } from '../support/bench-engines.ts';
import { type Measured, printFigures, timeCalls } from '../support/bench-figures.ts';
import { openFileWorld } from '../support/file-world.ts';
import { type Grown, type PageQuery, pageQueries } from '../support/growth-queries.ts';
import * as many from '../support/many-rows.ts';
import { explain, openWatched, type Watched } from '../support/plans.ts';
import { startPostgres, unsafeButFast } from '../support/postgres.ts';

const least = 10_000;
const most = Number(process.argv[2] ?? 1_000_000);
const rounds = 21;
const within = 2;
const halfYearMs = 180 * 24 * 3_600_000;
const now = Date.UTC(2026, 5, 30, 18);
const audit = { from: now - halfYearMs, stepMs: Math.floor(halfYearMs / most) };

async function fill(database: Database, owner: Grown, span: many.Span): Promise<void> {
  const { kind, db } = database;
  const started = performance.now();
  const parts: [string, string[]][] = [
    ['files', [many.filesOf(kind, owner, span), ...many.usageOf(owner, span.upTo)]],
    [
      'audit',
      [many.auditOf(kind, owner.auditTenantId, span, audit), ...many.auditHeadOf(owner.auditTenantId, span.upTo)],
    ],
    ['shares', [...many.sharesOf(kind, owner, span), ...many.shareCountsOf(owner)]],
    ['ledger', [many.ledgerOf(kind, owner, span)]],
    ['proofs', [many.proofsOf(kind, owner, span)]],
    ['jobs', [many.jobsOf(kind, span)]],
  ];
  const took: string[] = [];
  for (const [name, statements] of parts) {
    const begun = performance.now();
    await many.writeMany(database, ...statements);
    took.push(`${name} ${Math.round((performance.now() - begun) / 1000)} s`);
  }
  await db.connection().execute(async connection => {
    if (kind === 'postgres') await sql`set statement_timeout = 0`.execute(connection);
    await sql.raw(kind === 'sqlite' ? 'analyze' : 'vacuum analyze').execute(connection);
  });
  console.log(`${span.upTo} rows after ${Math.round((performance.now() - started) / 1000)} s: ${took.join(', ')}`);
}

async function printPlans(watched: Watched, { run }: PageQuery): Promise<void> {
  for (const plan of await explain(watched, run, { analyze: true })) {
    console.log(`\n    ${plan.sql.replaceAll(/\s+/g, ' ').slice(0, 400)}`);
    for (const line of plan.lines) console.log(`      ${line}`);
  }
}

async function measure(watched: Watched): Promise<void> {
  const { database } = watched;
  await migrate(database.db, database.kind, migrations, 0);
  await using world = await openFileWorld(database);
  const tenant = (name: string) => world.db.transaction().execute(tx => insertTenant(tx, name, 0));
  const tenantId = await tenant('bench');
  // The audit log of a tenant without accounts has no rows.
  const owner = {
    tenantId,
    ownerId: (await world.person(tenantId, 'owner')).userId,
    auditTenantId: await tenant('audit'),
  };
  await fill(database, owner, { above: 0, upTo: least });
  const before = new Map<string, number[]>();
  for (const { name, run } of pageQueries(database, owner, least)) before.set(name, await timeCalls(rounds, run));
  await fill(database, owner, { above: least, upTo: most });
  const figures: Measured[] = [];
  const slower: PageQuery[] = [];
  for (const query of pageQueries(database, owner, most)) {
    const few = before.get(query.name) ?? [];
    const many = await timeCalls(rounds, query.run);
    const ratio = Math.min(...many) / Math.min(...few); // other work on the machine only adds time
    const references = { [`${least} rows`]: few };
    figures.push({ name: query.name, unit: 'ms', samples: many, references, note: `fastest: ${ratio.toFixed(2)}` });
    if (ratio > within) slower.push(query);
  }
  printFigures(`${database.kind}, ${most} rows`, figures);
  for (const query of slower) {
    console.log(`\n  ${query.name}`);
    await printPlans(watched, query);
  }
}

const engines: Readonly<Record<Engine, () => Promise<void>>> = {
  postgres: async () => {
    // No durability is needed; memory as on a server of its own.
    await using server = await startPostgres([
      ...unsafeButFast,
      'shared_buffers=1GB',
      'maintenance_work_mem=512MB',
      'max_wal_size=8GB',
    ]);
    const { url } = await server.freshDatabase();
    const watched = await openWatched({ kind: 'postgres', at: url });
    await measure(watched).finally(() => watched.database.close());
  },
  sqlite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
    const watched = await openWatched({ kind: 'sqlite', at: join(folder, 'bench.db') });
    await measure(watched).finally(() => watched.database.close());
    rmSync(folder, { recursive: true, force: true });
  },
};

for (const engine of listEngines(process.argv[3])) await engines[engine]();
process.exit(0);
