// Two servers that move 5,000 envelopes under a new key and are killed repeatedly; a share ends meanwhile. In the end
// every recipient has one envelope that opens under the new key alone, and recipients of the ended share have none.
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { readEnvelopes, revokeGift } from '@recordproof/server/features/envelopes/index.ts';
import { countItems } from '@recordproof/server/features/key-rotation/item-queries.ts';
import { rotations } from '@recordproof/server/features/key-rotation/rotations.ts';
import { findRun } from '@recordproof/server/features/runs/index.ts';
import { openEnvelope } from '@recordproof/server/platform/crypto/envelope.ts';
import { openLocalKeys } from '@recordproof/server/platform/crypto/local-keys.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import { afterAll, expect, test } from 'vitest';
import { type Child, startChild } from '../support/child.ts';
import type { RotateInput } from '../support/children/rotate.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../support/database-address.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { type PlannedRotation, planRotation, toShare } from '../support/rotation-world.ts';

afterAll(stopPostgres);

const kills = Number(process.env.KILLS ?? 20);
const envelopes = 5000;
const shares = 5;
/** Fast enough that a dead server's lease of ten seconds ends in a quarter of one. */
const speed = 40;
const paceOfRun = { batch_size: 10, max_items_per_minute: 750, lease_seconds: 10 };
const patience = { timeout: 300_000, interval: 5 };

type World = { readonly address: TestDatabaseAddress; readonly planned: PlannedRotation; readonly database: Database };

const toWorker = ({ address, planned }: World, since: number): Child =>
  startChild('rotate.ts', { address, planned, speed, since } satisfies RotateInput);

/** No batch is claimed before this time. */
const hold = ({ database, planned }: World, until: number) =>
  database.db.updateTable('key_rotation_run').set({ next_batch_at: until }).where('id', '=', planned.runId).execute();

const isOver = async ({ database, planned }: World) =>
  (await findRun(database.db, rotations, planned))?.completed_at !== null;

async function countDone({ database, planned }: World): Promise<number> {
  const { total, remaining } = await countItems(database.db, planned.runId);
  return total - remaining;
}

/** Both are at work, then one of them is killed; returns the number of kills. */
async function killAgainAndAgain(world: World, revoke: () => Promise<void>): Promise<number> {
  const since = Date.now();
  const far = Number.MAX_SAFE_INTEGER;
  const workers: Child[] = [];
  let killed = 0;
  for (; killed < kills && !(await isOver(world)); killed += 1) {
    await hold(world, far);
    while (workers.length < 2) {
      const worker = toWorker(world, since);
      await worker.next();
      workers.push(worker);
    }
    await hold(world, 0);
    const enough = Math.floor((killed * envelopes * 0.9) / kills);
    await expect.poll(() => countDone(world), patience).toBeGreaterThanOrEqual(enough);
    if (killed === Math.floor(kills / 2)) await revoke();
    await pass(randomInt(0, 20));
    await workers.splice(randomInt(0, 2), 1)[0]?.kill();
  }
  await hold(world, 0);
  workers.push(toWorker(world, since));
  await expect.poll(() => isOver(world), { ...patience, interval: 100 }).toBe(true);
  await Promise.all(workers.map(worker => worker.ended));
  return killed;
}

async function checkEnvelopes({ database, planned }: World, revoked: string): Promise<void> {
  const { db } = database;
  const { tenantId, runId } = planned;
  const rows = await db.selectFrom('envelope').selectAll().where('tenant_id', '=', tenantId).orderBy('id').execute();
  const items = await db.selectFrom('key_rotation_item').selectAll().where('run_id', '=', runId).execute();
  const outcomes = Map.groupBy(items, item => item.outcome);
  const succeeded = outcomes.get('SUCCEEDED')?.length ?? 0;
  const skipped = outcomes.get('SKIPPED_REVOKED')?.length ?? 0;
  expect(items).toHaveLength(envelopes);
  expect(succeeded + skipped).toBe(envelopes);
  expect(skipped).toBeGreaterThan(0);
  expect(await countItems(db, runId)).toMatchObject({ total: envelopes, succeeded, skipped, remaining: 0, failed: 0 });
  expect(rows, 'each that was moved left one behind, none two').toHaveLength(envelopes + succeeded);
  for (const own of Map.groupBy(rows, row => row.file_id).values()) {
    const isRevoked = own[0]?.recipient_id === revoked;
    const active = own.filter(row => row.status === 'ACTIVE').map(row => row.provider_key_version);
    expect(active).toEqual(isRevoked ? [] : ['2']);
    if (isRevoked) expect(own.at(-1)?.status).toBe('REVOKED');
  }
  await checkThatTheyOpen(
    database,
    planned,
    rows.filter(row => row.status === 'ACTIVE').map(row => row.id),
  );
}

async function checkThatTheyOpen({ db, kind }: Database, { keyFile, tenantId }: PlannedRotation, ids: number[]) {
  const keys = await openLocalKeys({ path: keyFile, createIfMissing: false });
  await keys.removeVersion('1');
  for (let from = 0; from < ids.length; from += 500)
    for (const { envelope, binding } of await readEnvelopes(db, kind, { tenantId, ids: ids.slice(from, from + 500) }))
      await openEnvelope([keys], envelope, binding);
}

test('no envelope is lost or rotated twice, and a share revoked during the run stays revoked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-rotating-'));
  const { url } = await (await postgres()).freshDatabase();
  const address: TestDatabaseAddress = { kind: 'postgres', at: url };
  const database = await openTestDatabase(address);
  try {
    const planned = await planRotation(database, { folder, envelopes, shares, policy: paceOfRun });
    const world = { address, planned, database };
    const gift = { tenantId: planned.tenantId, recipientType: 'SHARE', recipientId: toShare(3) } as const;
    const revoke = () => database.db.transaction().execute(tx => revokeGift(tx, 'postgres', gift, Date.now()));
    const killed = await killAgainAndAgain(world, revoke);
    expect(killed).toBeGreaterThan(kills / 2);
    expect(await findRun(database.db, rotations, planned)).toMatchObject({ status: 'COMPLETED' });
    await checkEnvelopes(world, gift.recipientId);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
});
