// Benchmark of lists and searches for an owner of 1,000,000 files, on both databases, against 1,000 files.
//   node test/bench/files-list.ts [rows]

import { migrations } from '@recordproof/server/compose/features.ts';
import { insertTenant } from '@recordproof/server/features/accounts/index.ts';
import { listFiles } from '@recordproof/server/features/files/list-queries.ts';
import { searchFiles } from '@recordproof/server/features/files/search-queries.ts';
import { listLevel } from '@recordproof/server/features/folders/queries.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { sql } from 'kysely';
import { onEachEngine } from '../support/bench-engines.ts';
import { type Measured, printFigures, timeCalls } from '../support/bench-figures.ts';
import { openTestDatabase } from '../support/database-address.ts';
import { openFileWorld } from '../support/file-world.ts';
import { filesOf, firstIdOf, type Owner, usageOf, writeMany } from '../support/many-rows.ts';

const rows = Number(process.argv[2] ?? 1_000_000);
const few = 1000;
const rounds = 15;

async function fill(database: Database, owner: Owner, count: number): Promise<void> {
  await writeMany(
    database,
    filesOf(database.kind, owner, { above: 0, upTo: count }),
    ...usageOf(owner, count, few + rows),
    ...foldersOf(owner),
  );
}

/** A tenth of the files is in one folder, the rest in ninety folders below it. */
const foldersOf = ({ tenantId, ownerId }: Owner): string[] => [
  `update file set path = case when id % 10 = 0 then 'level' else 'level/sub ' || (id % 90) end where owner_id = ${ownerId}`,
  `insert into folder (tenant_id, owner_id, path, parent, created_at)
    select distinct ${tenantId}, ${ownerId}, path, case path when 'level' then '' else 'level' end, 0
    from file where owner_id = ${ownerId}`,
];

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
    ['search by type, all', find('', { type: 'application/pdf' })],
    ['search by type, none', find('', { type: 'image' })],
    ['search by proof, none', find('', { proofStatus: 'ISSUED' })],
    ['search by size, few', find('', { minSize: 10, maxSize: 200 })],
    ['search by size, most', find('', { minSize: 10 })],
    ['search by share, three', find('', { shared: { ids: [7, 8, 9].map(n => n + firstIdOf(owner)), isShared: true } })],
    ['search by folder and word', find('budget', { path: 'level/sub 7' })],
    ['level of a tenth, by name', () => listFiles(db, owner, { ...page(1, 100, 'fileName'), folder: 'level' })],
    ['level of a tenth, by size', () => listFiles(db, owner, { ...page(3, 100, 'fileSize'), folder: 'level' })],
    ['level of a tenth, newest', () => listFiles(db, owner, { ...page(1, 100), folder: 'level' })],
    ['folders of a level, 90', () => toFound(listLevel(db, owner, { ...level, path: 'level' }))],
    ['folders of the top, 1', () => toFound(listLevel(db, owner, { ...level, path: '' }))],
    ['search by time and word', find('budget', { createdTo: 900_000 })],
  ];
}

const level = { recursive: false, limit: 100 };

const toFound = async (listed: ReturnType<typeof listLevel>) => ({ total: (await listed).folders.length });

/** Queries of administrators over the files of all accounts. */
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
  const base = await timeCalls(rounds, () => listFiles(database.db, small, page(1)));
  const figures: Measured[] = [];
  for (const [name, work] of [...toCases(database, large, rows), ...toTenantCases(database, large, rows)]) {
    const { total } = await work();
    const references = name === 'list, page 1' ? { [`page 1 of ${few} files`]: base } : {};
    figures.push({ name, unit: 'ms', samples: await timeCalls(rounds, work), references, note: `${total} hits` });
  }
  printFigures(`${database.kind}, ${rows} rows`, figures);
}

await onEachEngine(process.argv[3], async address => {
  const database = await openTestDatabase(address);
  await measure(database).finally(() => database.close());
});
