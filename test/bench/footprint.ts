// Benchmark of database use: rows and bytes per table for small files, and the statements of each request.
// The files belong to one account, each is proven and shared, on a server in this process. Bytes include indexes; the
// settled server has no work waiting. On PostgreSQL also the writes: rows inserted, updated and deleted, index entries, and
// bytes of the write-ahead log.
//   node test/bench/footprint.ts [files] [postgres|sqlite]

import { setTimeout as sleep } from 'node:timers/promises';
import { listAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import * as accounts from '@recordproof/shared/api/auth.ts';
import * as filesApi from '@recordproof/shared/api/files.ts';
import { getLedgerCheckpoint } from '@recordproof/shared/api/ledger.ts';
import { exportProof, getProofStatus } from '@recordproof/shared/api/proofs.ts';
import { openShare } from '@recordproof/shared/api/share-access.ts';
import { createShare, shareTypes } from '@recordproof/shared/api/shares.ts';
import { sql } from 'kysely';
import type { Engine } from '../../server/src/platform/db/open-db.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { listEngines } from '../support/bench-engines.ts';
import { type Measured, printFigures, printTable } from '../support/bench-figures.ts';
import { pattern } from '../support/bytes.ts';
import { postgres } from '../support/postgres.ts';
import { countStatements } from '../support/statement-count.ts';
import { type BulkFile, sendFile, sendMany } from '../support/uploads.ts';

const count = Number(process.argv[2] ?? 2000);
const perCall = 100;
const rounds = 9;

type Size = { readonly name: string; readonly rows: number; readonly bytes: number; readonly inIndexes: number };

async function listSizes(db: Db, engine: Engine): Promise<Size[]> {
  if (engine === 'postgres') await sql`vacuum full`.execute(db); // rows that were changed just before would count twice
  const tables = await db.introspection.getTables();
  const names = tables.map(({ name }) => name).filter(name => !/^file_search_|^sqlite_|^schema_/.test(name));
  const sizes: Size[] = [];
  for (const name of names) {
    const bytes =
      engine === 'postgres'
        ? sql<number>`pg_total_relation_size(${name}::regclass)`
        : sql<number>`(select sum(pgsize) from dbstat where name = ${name} or name like ${`${name}_search%`}
            or name in (select i.name from sqlite_schema i where i.tbl_name = ${name} and i.type = 'index'))`;
    const inIndexes =
      engine === 'postgres'
        ? sql<number>`pg_indexes_size(${name}::regclass)`
        : sql<number>`(select sum(pgsize) from dbstat where name like ${`${name}_search%`}
            or name in (select i.name from sqlite_schema i where i.tbl_name = ${name} and i.type = 'index'))`;
    const counted = sql<{ rows: number; bytes: number | null; inIndexes: number | null }>`
      select (select count(*) from ${sql.table(name)}) as rows, ${bytes} as bytes, ${inIndexes} as "inIndexes"`;
    const [row] = (await counted.execute(db)).rows;
    sizes.push({
      name,
      rows: Number(row?.rows ?? 0),
      bytes: Number(row?.bytes ?? 0),
      inIndexes: Number(row?.inIndexes ?? 0),
    });
  }
  return sizes;
}

async function fill(app: TestApp, alice: Person): Promise<void> {
  for (let first = 0; first < count; first += perCall) {
    const numbers = Array.from({ length: Math.min(perCall, count - first) }, (_, at) => first + at + 1);
    const files: BulkFile[] = await Promise.all(
      numbers.map(async seed => ({
        bytes: await pattern(800 + (seed % 200), seed),
        name: `quarterly report ${seed}.pdf`,
      })),
    );
    const { data, message } = await sendMany(alice, files);
    if (data === null) throw new Error(message);
  }
  await app.drain();
  app.clock.advance(3_600_000);
  await app.drain();
}

const writes = ['inserted', 'updated', 'in place', 'deleted', 'index entries'] as const;
type Writes = Readonly<Record<(typeof writes)[number], number>> & { readonly name: string };

/** Since the database was made. An update in place (HOT) writes no index entry; partial indexes are not counted. */
async function readWrites(db: Db): Promise<{ readonly logBytes: number; readonly tables: readonly Writes[] }> {
  const { rows: log } = await sql<{ bytes: string }>`
    select pg_current_wal_insert_lsn() - '0/0' as bytes from pg_stat_force_next_flush()`.execute(db);
  await sleep(1500); // idle connections report what they have counted within a second
  const { rows } = await sql<Writes>`
    with whole as (select indrelid, count(*) as indexes from pg_index where indpred is null group by indrelid)
    select relname as name, n_tup_ins as inserted, n_tup_upd as updated, n_tup_hot_upd as "in place",
      n_tup_del as deleted, coalesce(indexes, 0) * (n_tup_ins + n_tup_upd - n_tup_hot_upd) as "index entries"
    from pg_stat_user_tables left join whole on indrelid = relid`.execute(db);
  return { logBytes: Number(log[0]?.bytes), tables: rows };
}

type Written = Awaited<ReturnType<typeof readWrites>>;

function reportWrites(title: string, before: Written, after: Written): void {
  const since = (table: Writes, what: (typeof writes)[number]) =>
    (Number(table[what]) - Number(before.tables.find(({ name }) => name === table.name)?.[what] ?? 0)) / count;
  const texts = after.tables
    .filter(table => since(table, 'index entries') >= 0.1)
    .toSorted((a, b) => since(b, 'index entries') - since(a, 'index entries'))
    .map(table => [table.name, ...writes.map(what => since(table, what).toFixed(2))] as const);
  console.log(`\n${title}\n`);
  printTable([['', ...writes], ...texts]);
  const total = (what: (typeof writes)[number]) => after.tables.reduce((sum, table) => sum + since(table, what), 0);
  printFigures(`${title}, all tables`, [
    ...writes.map(what => ({ name: what, unit: 'rows', samples: total(what) })),
    { name: 'write-ahead log', unit: 'bytes', samples: (after.logBytes - before.logBytes) / count },
  ]);
}

async function share(alice: Person): Promise<void> {
  for (let page = 1; (page - 1) * perCall < count; page += 1) {
    const { records } = await alice.call(filesApi.listFiles, { query: { page, size: perCall } });
    for (const { fileHash } of records) {
      const body = { fileHash: [fileHash], expireMinutes: 60, shareType: shareTypes.PUBLIC };
      const { shareCode } = await alice.call(createShare, { body });
      await alice.call(openShare, { params: { code: shareCode }, body: {} });
    }
  }
}

/** Growth of each table, per file. */
function reportGrowth(title: string, before: readonly Size[], after: readonly Size[]): void {
  const grown = after.flatMap(({ name, rows, bytes, inIndexes }) => {
    const was = before.find(table => table.name === name);
    const [moreRows, moreBytes] = [rows - (was?.rows ?? 0), bytes - (was?.bytes ?? 0)];
    const more = { name, rows: moreRows, bytes: moreBytes, inIndexes: inIndexes - (was?.inIndexes ?? 0) };
    return moreBytes > count || moreRows * 100 > count ? [more] : [];
  });
  const total = (of: 'bytes' | 'inIndexes') => grown.reduce((sum, table) => sum + table[of], 0);
  printFigures(title, [
    ...grown
      .toSorted((a, b) => b.bytes - a.bytes)
      .flatMap(({ name, rows, bytes }) => [
        { name, unit: 'bytes', samples: bytes / count },
        { name, unit: 'rows', samples: rows / count, note: rows > 0 ? `${Math.round(bytes / rows)} bytes a row` : '' },
      ]),
    { name: 'all tables', unit: 'bytes', samples: total('bytes') / count },
    { name: 'of which in indexes', unit: 'bytes', samples: total('inIndexes') / count },
  ]);
}

async function reportStatements(app: TestApp, alice: Person): Promise<void> {
  const { records } = await alice.call(filesApi.listFiles, { query: { size: 1 } });
  const [file] = records;
  if (file === undefined) throw new Error('there is no file');
  const { id, fileHash } = file;
  const shareIt = () =>
    alice.call(createShare, { body: { fileHash: [fileHash], expireMinutes: 60, shareType: shareTypes.PUBLIC } });
  const { shareCode: code } = await shareIt();
  const seeds = Array.from({ length: rounds }, (_, at) => count + 1 + at);
  const requests: [string, () => Promise<unknown>][] = [
    ['who am I', () => alice.call(accounts.me)],
    ['list of files', () => alice.call(filesApi.listFiles, { query: {} })],
    ['search in files', () => alice.call(filesApi.searchFiles, { query: { keyword: 'report 77' } })],
    ['one file', () => alice.call(filesApi.getFile, { params: { hash: fileHash } })],
    ['upload of a small file', async () => sendFile(alice, await pattern(900, seeds.pop()))],
    [
      'download',
      async () => (await alice.client.open(filesApi.downloadFile, { params: { hash: fileHash } })).arrayBuffer(),
    ],
    ['share', shareIt],
    ['open a share', () => alice.call(openShare, { params: { code }, body: {} })],
    ['status of a proof', () => alice.call(getProofStatus, { params: { id } })],
    ['proof archive', async () => (await alice.client.open(exportProof, { params: { id } })).arrayBuffer()],
    ['page of the audit log', () => alice.call(listAuditLogs, { query: {} })],
    ['checkpoint of the ledger', async () => (await alice.client.open(getLedgerCheckpoint)).text()],
  ];
  const counted = countStatements();
  const figures: Measured[] = [];
  for (const [name, ask] of requests) {
    const seen = { statements: [] as number[], commits: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      await app.drain();
      const before = counted.read();
      await ask();
      const after = counted.read();
      seen.statements.push(after.statements - before.statements);
      seen.commits.push(after.commits - before.commits);
    }
    for (const unit of ['statements', 'commits'] as const) figures.push({ name, unit, samples: seen[unit] });
  }
  printFigures('a request', figures);
}

async function measure(engine: Engine): Promise<void> {
  const env = {
    RECORDPROOF_PROFILE: 'laptop',
    ...(engine === 'postgres' && { DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
  };
  await using app = await startApp({ engine: 'sqlite', env });
  const alice = await app.person('alice', { role: 'admin' });
  const { db } = app.app.database;
  const empty = await listSizes(db, engine);
  const before = engine === 'postgres' ? await readWrites(db) : null;
  await fill(app, alice);
  if (before) reportWrites(`rows written for ${count} files stored and proven, for each`, before, await readWrites(db));
  const proven = await listSizes(db, engine);
  reportGrowth(`${engine}, ${count} files stored and proven, for each`, empty, proven);
  await share(alice);
  await app.drain();
  reportGrowth(`${engine}, shared and opened once, for each`, proven, await listSizes(db, engine));
  if (engine === 'sqlite') await reportStatements(app, alice);
}

for (const engine of listEngines(process.argv[3])) await measure(engine);
process.exit(0);
