// Query plans of a page of shares, of a folder and of a walk over a tenant's files with many other rows: they read through an
// index, and never the rows behind the page.
import { migrations } from '@recordproof/server/compose/features.ts';
import { listKeepingFileIds, listLiveFileIds } from '@recordproof/server/features/files/index.ts';
import { listFiles } from '@recordproof/server/features/files/list-queries.ts';
import { searchFiles } from '@recordproof/server/features/files/search-queries.ts';
import { listContentSlice } from '@recordproof/server/features/folders/queries.ts';
import { listShares } from '@recordproof/server/features/shares/list-queries.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import type { RowPage } from '@recordproof/server/platform/db/page.ts';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { openFileWorld } from '../support/file-world.ts';
import * as many from '../support/many-rows.ts';
import { explain, openWatched, type Watched } from '../support/plans.ts';

const opened: Database[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

type PlanContext = { readonly watched: Watched; readonly owner: many.Owner };

/** An owner with 400 files and shares, and fifty times as many of another tenant behind them. */
async function fill(database: TestDatabase): Promise<PlanContext> {
  await using world = await openFileWorld(database);
  const owners: many.Owner[] = [];
  for (const [name, upTo] of [
    ['few', 400],
    ['crowd', 20_000],
  ] as const) {
    const tenantId = await world.tenant(name);
    const owner = { tenantId, ownerId: (await world.person(tenantId, name)).userId };
    const span = { above: 0, upTo };
    const shares = many.sharesOf(database.kind, owner, span).map(text => text.replace("'s' ||", `'${name}' ||`));
    await many.writeMany(database, many.filesOf(database.kind, owner, span), ...shares, ...many.shareCountsOf(owner));
    owners.push(owner);
  }
  await sql.raw('analyze').execute(database.db);
  const [owner] = owners;
  if (owner === undefined) throw new Error('nobody was made');
  const watched = await openWatched(database.address);
  opened.push(watched.database);
  return { watched, owner };
}

const wholeTable = /Seq Scan on (share|file)\b|\bSCAN (share|file)$/m;

const sliceOf = async <Row>(read: Promise<Row[]>): Promise<RowPage<Row>> => {
  const rows = await read;
  return { rows, total: rows.length };
};

async function plansOf(watched: Watched, run: () => Promise<unknown>): Promise<string> {
  const plans = await explain(watched, run);
  return plans.flatMap(({ lines }) => lines).join('\n');
}

eachDatabase((_engine, open) => {
  test('pages of shares and scans of files use indexes', async () => {
    const { watched, owner } = await fill(await open(migrations));
    const { db } = watched.database;
    const tenant = { tenantId: owner.tenantId };
    const newest = { page: 1, size: 20, sort: 'createdAt,desc' };
    const next = { page: 1, size: 20, sort: 'expireTime,asc' };
    const middle = many.firstIdOf(owner) + 200;
    const pages: [name: string, index: RegExp, run: () => Promise<unknown>][] = [
      ['own shares', /share_owner\b/, () => listShares(db, owner, newest, 0)],
      ['own shares by their end', /share_owner_expiry\b/, () => listShares(db, owner, next, 0)],
      ['shares of the tenant', /share_tenant\b/, () => listShares(db, tenant, newest, 0)],
      ['active ones', /share_(status|tenant)\b/, () => listShares(db, { ...tenant, status: 1 }, newest, 0)],
      ['those that are over', /share_status_expiry\b/, () => listShares(db, { ...tenant, status: 2 }, next, 0)],
      ['live files', /file_walk\b/, () => listLiveFileIds(db, owner.tenantId, middle, 100)],
      ['files with objects', /file_walk\b/, () => listKeepingFileIds(db, owner.tenantId, middle, 100)],
    ];
    for (const [name, index, run] of pages) {
      const plans = await plansOf(watched, run);
      expect(plans, name).toMatch(index);
      expect(plans, name).not.toMatch(wholeTable);
    }
  });

  test('the files of a folder are found in its index, without those of its siblings', async () => {
    const { watched, owner } = await fill(await open(migrations));
    const { db, kind } = watched.database;
    const paths = ['box', 'box !', 'box/deep', 'box0', 'boxes'];
    for (const [at, path] of paths.entries())
      await db
        .updateTable('file')
        .set({ path })
        .where('id', '=', many.firstIdOf(owner) + at + 1)
        .execute();
    const newest = { page: 1, size: 20, sort: 'createdAt,desc' };
    const inBox = { keyword: 'of day', keywordMode: 'AUTO', path: 'box' } as const;
    const runs: [name: string, expected: string[], run: () => Promise<RowPage<{ path: string | null }>>][] = [
      ['list with subfolders', ['box/deep', 'box'], () => listFiles(db, owner, { ...newest, path: 'box' })],
      [
        'list by name',
        ['box', 'box/deep'],
        () => listFiles(db, owner, { ...newest, sort: 'fileName,asc', path: 'box' }),
      ],
      ['list of one level', ['box'], () => listFiles(db, owner, { ...newest, folder: 'box' })],
      ['search with subfolders', ['box/deep', 'box'], () => searchFiles(db, kind, owner, inBox, newest)],
      [
        'all, in slices',
        ['box', 'box/deep'],
        () => sliceOf(listContentSlice(db, owner, 'box', { limit: 3, cursor: 0 })),
      ],
      ['search in one level', ['box'], () => searchFiles(db, kind, owner, { ...inBox, folder: 'box' }, newest)],
    ];
    for (const [name, expected, run] of runs) {
      const { rows, total } = await run();
      expect([total, rows.map(({ path }) => path)], name).toEqual([expected.length, expected]);
      const plans = await plansOf(watched, run);
      expect(plans, name).not.toMatch(wholeTable);
      if (kind === 'sqlite') expect(plans, name).toMatch(/file_folder\b/);
      if (kind === 'sqlite') expect(plans, name).not.toMatch(/file_list_created\b/);
    }
  });
});
