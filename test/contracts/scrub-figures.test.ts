// The figures of the scrub over many objects: computed without reading the objects, and right after an upgrade.
import { migrations } from '@recordproof/server/compose/features.ts';
import { countFailed, countVerified, noteArrivals } from '@recordproof/server/features/stored-objects/index.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { openFileWorld } from '../support/file-world.ts';
import { explain, openWatched } from '../support/plans.ts';

const opened: Database[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

const hourMs = 3_600_000;
const objects = 20_000;
/** Object n was read n seconds after the first hour, every tenth could not be read, and the last hundred are new. */
const failedEach = 10;
const newObjects = 100;

async function fill({ db }: TestDatabase, tenantId: number): Promise<void> {
  const numbers = sql`with recursive n(x) as (select 1 union all select x + 1 from n where x < ${sql.lit(objects)})`;
  const verifiedAt = sql`case when x > ${sql.lit(objects - newObjects)} then 0 else ${sql.lit(hourMs)} + x * 1000 end`;
  const isOld = sql`x <= ${sql.lit(objects - newObjects)}`;
  const failedAt = sql`case when x % ${sql.lit(failedEach)} = 0 and ${isOld} then 1 else null end`;
  await sql`insert into stored_object (tenant_id, sha256, size, path, state, verified_at, failed_at)
    ${numbers} select ${sql.lit(tenantId)}, 'h' || x, x, ${sql.lit(`t${tenantId}/`)} || x, 'LIVE', ${verifiedAt}, ${failedAt}
    from n`.execute(db);
}

eachDatabase((_engine, open) => {
  test('figures of 20,000 objects are read in one statement over hours, before and after new objects', {
    tags: 'long',
  }, async () => {
    const database = await open(migrations);
    const { db } = database;
    await using world = await openFileWorld(database);
    const [tenantId, other] = [await world.tenant('many'), await world.tenant('other')];
    for (const id of [tenantId, other]) await fill(database, id);
    await sql`insert into stored_object_hour (tenant_id, hour, objects, bytes)
      select tenant_id, case when failed_at is null then verified_at / ${sql.lit(hourMs)} else -1 end as read_hour,
        count(*), sum(size)
      from stored_object where verified_at > 0 group by tenant_id, read_hour`.execute(db);
    await sql.raw('analyze').execute(db);

    const watched = await openWatched(database.address);
    opened.push(watched.database);
    const read = () => countVerified(watched.database.db, tenantId, 2 * hourMs);
    const plans = await explain(watched, read);
    expect(plans).toHaveLength(1);
    expect(plans.flatMap(({ lines }) => lines).join('\n')).not.toMatch(/\bstored_object\b/);
    const seen = objects - newObjects;
    const readable = (upTo: number) => upTo - upTo / failedEach;
    expect(await read()).toMatchObject({
      objects: seen,
      bytes: (seen * (seen + 1)) / 2,
      dueObjects: readable(3600),
      unreadableObjects: seen / failedEach,
      oldestVerifiedAt: hourMs,
    });
    expect(await countFailed(db)).toBe((2 * seen) / failedEach);

    const arrive = () => db.transaction().execute(tx => noteArrivals(tx, 100 * hourMs, 150));
    expect([await arrive(), await arrive(), await arrive()]).toEqual([150, 50, 0]);
    expect(await read()).toMatchObject({ objects, bytes: (objects * (objects + 1)) / 2, dueObjects: readable(3600) });
  });
});
