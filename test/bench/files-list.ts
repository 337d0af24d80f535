// How long lists and searches take for an owner of 1,000,000 files, on both databases, against 1,000 files.
//   node test/bench/files-list.ts [rows]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { insertTenant } from '@recordproof/server/features/accounts/index.ts';
import { listFiles } from '@recordproof/server/features/files/list-queries.ts';
import { searchFiles } from '@recordproof/server/features/files/search-queries.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Database, Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { sql } from 'kysely';
import { openFileWorld } from '../support/file-world.ts';
import { filesOf, firstIdOf, type Owner, usageOf, writeMany } from '../support/many-rows.ts';
import { openPlace } from '../support/place.ts';
import { postgres } from '../support/postgres.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const few = 1000;
const rounds = 15;

async function fill(database: Database, owner: Owner, count: number): Promise<void> {
  await writeMany(
    database,
    filesOf(database.kind, owner, { above: 0, upTo: count }),
    ...usageOf(owner, count, few + rows),
  );
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

const page = (number: number, size = 10, field = 'createdAt'): PageRequest => ({
  page: number,
  size,
  sort: `${field},desc`,
});

function toCases({ db, kind }: Database, owner: Owner, count: number): [string, () => Promise<{ total: number }>][] {
  const find =
    (keyword: string, more: object = {}, request = page(1)) =>
    () =>
      searchFiles(db, kind, owner, { keyword, keywordMode: 'AUTO', ...more }, request);
  return [
    ['list, page 1', () => listFiles(db, owner, page(1))],
    [`list, page ${count / 100} of 10`, () => listFiles(db, owner, page(count / 100))],
    ['list, last page of 100', () => listFiles(db, owner, page(count / 100, 100))],
    ['list, middle page of 100', () => listFiles(db, owner, page(count / 200, 100))],
    ['list by name, middle of 100', () => listFiles(db, owner, page(count / 200, 100, 'fileName'))],
    ['list by size, page 1', () => listFiles(db, owner, page(1, 10, 'fileSize'))],
    ['search in ten names', find('needle')],
    ['search in a hundredth', find('quarterly')],
    ['search in a tenth', find('budget')],
    ['search in all names', find(' of day ')],
    ['search in no name', find('xylophone')],
    ['search, 100 by name', find('quarterly', {}, page(3, 100, 'fileName'))],
    ['search of two letters', find('ge')],
    ['search of two absent letters', find('zq')],
    ['search by prefix', find('photo of day 77', { keywordMode: 'PREFIX' })],
    ['search by common prefix', find('photo', { keywordMode: 'PREFIX' })],
    ['search by exact hash', find((7 + firstIdOf(owner)).toString(16).padStart(64, '0'))],
    ['search by time, old', find('', { createdFrom: 5000, createdTo: 900_000 })],
    ['search by time and word', find('budget', { createdTo: 900_000 })],
  ];
}

/** What administrators ask of everybody's files. */
function toTenantCases({ db, kind }: Database, owner: Owner, count: number) {
  const { tenantId } = owner;
  const search =
    (keyword: string, more: object = {}, request = page(1)) =>
    () =>
      searchFiles(db, kind, { tenantId }, { keyword, keywordMode: 'AUTO', ...more }, request);
  const cases: [string, () => Promise<{ total: number }>][] = [
    ['tenant: list, page 1', search('')],
    ['tenant: list, middle page of 100', search('', {}, page(count / 200, 100))],
    ['tenant: deleted', search('', { status: 2 })],
    ['tenant: in ten names', search('needle')],
    ['tenant: in all names', search(' of day ')],
    ['tenant: by common prefix', search('photo', { keywordMode: 'PREFIX' })],
    ['tenant: of two letters', search('ge')],
    ['tenant: by exact hash', search((7 + firstIdOf(owner)).toString(16).padStart(64, '0'))],
    ['tenant: referred to by id', search(String(7 + firstIdOf(owner)), { keywordMode: 'REFERENCE' })],
    ['tenant: by beginning of hash', search('0'.repeat(58), { keywordMode: 'REFERENCE' })],
    ['tenant: referred to by no name', search('xylophone.pdf', { keywordMode: 'REFERENCE' })],
  ];
  return cases;
}

async function measure(database: Database): Promise<void> {
  await migrate(database.db, database.kind, migrations, 0);
  await using world = await openFileWorld(database);
  const tenantId = await world.db.transaction().execute(tx => insertTenant(tx, 'bench', 0));
  const [poor, rich] = [await world.person(tenantId, 'poor'), await world.person(tenantId, 'rich')];
  const small = { tenantId, ownerId: poor.userId };
  const large = { tenantId, ownerId: rich.userId };
  const start = performance.now();
  await fill(database, small, few);
  await fill(database, large, rows);
  await sql.raw(database.kind === 'sqlite' ? 'analyze' : 'vacuum analyze file').execute(database.db);
  console.log(`\n${database.kind}: ${rows} rows in ${Math.round((performance.now() - start) / 1000)} s`);
  const base = await medianMs(() => listFiles(database.db, small, page(1)));
  console.log(`list, page 1, of ${few} files`.padEnd(34), base.toFixed(2).padStart(8), 'ms');
  const cases = [...toCases(database, large, rows), ...toTenantCases(database, large, rows)];
  for (const [name, work] of cases) {
    const { total } = await work();
    const ms = await medianMs(work);
    const ratio = name === 'list, page 1' ? `${(ms / base).toFixed(2)} x` : '';
    console.log(name.padEnd(34), ms.toFixed(2).padStart(8), 'ms', `${total} hits`.padStart(14), ratio);
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
