// Batches over a chain that fails, on both databases, with servers that stop in the middle.
import { randomBytes } from 'node:crypto';
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { isIncluded } from '@recordproof/shared/evidence/merkle.ts';
import { buildMerkleBatch } from '@recordproof/shared/evidence/merkle-batch.ts';
import { describe, expect, test } from 'vitest';
import { eachDatabase, type TestDatabase } from '../../../../test/support/databases.ts';
import { type FileWorld, openFileWorld } from '../../../../test/support/file-world.ts';
import { holdHeartbeats, openGate, until } from '../../../../test/support/heartbeats.ts';
import { writeManifestText } from '../../../../test/support/manifest-text.ts';
import { openShakyChain, type ShakyChain } from '../../../../test/support/shaky-chain.ts';
import { migrations } from '../../compose/features.ts';
import { readConfig } from '../../config/config.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { openGoals } from '../../platform/telemetry/goals.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { openMetrics } from '../../platform/telemetry/metrics.ts';
import { retryPauseSeconds } from './anchor-batch.ts';
import { retryForSpace } from './jobs.ts';
import { type Attesting, declareAttestationMetrics } from './metrics.ts';
import { runProduction } from './run-production.ts';

type Scene = AsyncDisposable & {
  readonly world: FileWorld;
  readonly chain: ShakyChain;
  readonly server: Attesting;
  readonly owner: Actor;
  store(count: number): Promise<Key[]>;
  run(force?: boolean): ReturnType<typeof runProduction>;
};

const config = await readConfig([], { RECORDPROOF_PROFILE: 'laptop' });

async function openScene(database: TestDatabase, more: Partial<(typeof config)['attestation']> = {}): Promise<Scene> {
  const world = await openFileWorld(database);
  const chain = openShakyChain();
  const { clock, suites, cryptoPolicies } = world;
  const metrics = openMetrics();
  const server = {
    database,
    clock,
    log: silentLog,
    chain,
    suites,
    cryptoPolicies,
    attestationMetrics: declareAttestationMetrics({ metrics, goals: openGoals(metrics), database, clock }),
    config: { ...config, attestation: { ...config.attestation, ...more } },
  };
  const owner = await world.person(await world.tenant('t'), 'ada');
  return {
    world,
    chain,
    server,
    owner,
    store: async count => {
      const ids: Key[] = [];
      for (let index = 0; index < count; index += 1)
        ids.push((await world.store(owner, { bytes: randomBytes(20) })).id);
      return ids;
    },
    run: (force = false) => runProduction(server, { tenantId: owner.tenantId, force }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const batchesOf = ({ world }: Scene) => world.db.selectFrom('attestation_batch').selectAll().orderBy('id').execute();
const candidatesOf = ({ world }: Scene) =>
  world.db.selectFrom('attestation_candidate').selectAll().orderBy('file_id').execute();

eachDatabase((_engine, open) => {
  test('a batch is the Merkle tree over its files in order, and each leaf has its path to the root', {
    tags: 'long-on-postgres',
  }, async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(7);
    expect(await scene.run()).toMatchObject({
      candidatesAdmitted: 7,
      candidatesClaimed: 7,
      batchesCreated: 1,
      batchesCompleted: 1,
      thresholdDeferred: false,
    });
    const candidates = await candidatesOf(scene);
    const tree = buildMerkleBatch(
      candidates.map(row => ({ manifestHash: row.manifest_hash, fileId: `${row.file_id}` })),
    );
    const [batch] = await batchesOf(scene);
    expect(batch).toMatchObject({ status: 'COMPLETED', tree_size: 7, merkle_root: toHex(tree.root) });
    expect(scene.chain.roots.get(`MB-${batch?.id}`)?.merkleRoot).toBe(batch?.merkle_root);
    const leaves = await scene.world.db.selectFrom('attestation_leaf').selectAll().orderBy('leaf_index').execute();
    for (const leaf of leaves) {
      const count = leaf.proof_path.length / 32;
      const path = Array.from({ length: count }, (_, at) => leaf.proof_path.subarray(at * 32, at * 32 + 32));
      expect(isIncluded(leaf.leaf_hash, leaf.leaf_index, 7, path, tree.root)).toBe(true);
    }
  });

  test('a write whose answer is lost is found on the chain and not repeated', async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(1);
    scene.chain.faults.push('lost after');
    expect(await scene.run()).toMatchObject({ batchesCompleted: 1 });
    expect((await batchesOf(scene))[0]).toMatchObject({ confirmation_source: 'CHAIN_QUERY_AFTER_WRITE', attempts: 0 });
    expect(scene.chain.writes).toHaveLength(1);
  });

  test('after a write and a query without answer, the next attempt queries the chain before it writes', async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(1);
    scene.chain.faults.push('blind');
    expect(await scene.run()).toMatchObject({ batchesRetrying: 1, batchesCompleted: 0 });
    expect(await scene.run()).toMatchObject({ batchesRetrying: 0, batchesCompleted: 0 });
    scene.world.clock.advance(5000);
    expect(await scene.run()).toMatchObject({ batchesCompleted: 1 });
    expect((await batchesOf(scene))[0]).toMatchObject({ confirmation_source: 'CHAIN_QUERY_BEFORE_WRITE', attempts: 1 });
    expect(scene.chain.writes).toHaveLength(1);
  });

  test('an unreachable chain is retried with growing pauses, and then needs manual review', {
    tags: 'long-on-postgres',
  }, async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(1);
    for (const seconds of retryPauseSeconds) {
      scene.chain.faults.push('unreachable');
      expect(await scene.run()).toMatchObject({ batchesRetrying: 1 });
      scene.world.clock.advance(seconds * 1000 - 1);
      expect(await scene.run()).toMatchObject({ batchesRetrying: 0, batchIds: [] });
      scene.world.clock.advance(1);
    }
    scene.chain.faults.push('refused');
    expect(await scene.run()).toMatchObject({ batchesManualReview: 1 });
    scene.world.clock.advance(10_000_000);
    expect(await scene.run()).toMatchObject({ batchIds: [] });
    scene.chain.faults.push('unreachable');
    expect(await scene.run(true)).toMatchObject({ batchesManualReview: 1 });
    expect(await scene.run(true)).toMatchObject({ batchesCompleted: 1 });
    expect(scene.chain.writes).toHaveLength(1);
  });

  test('a batch that waits for its retry is due as soon as disk space is available again', async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(1);
    scene.chain.faults.push('unreachable');
    expect(await scene.run()).toMatchObject({ batchesRetrying: 1 });
    expect(await scene.run()).toMatchObject({ batchesCompleted: 0 });
    await retryForSpace(scene.server);
    expect(await scene.run()).toMatchObject({ batchesCompleted: 1 });
  });

  test('a different root on the chain needs manual review, and force does not override it', async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(1);
    const foreign = {
      batchNo: 'MB-1',
      merkleRoot: 'cd'.repeat(32),
      transactionHash: `0x${'1'.repeat(64)}`,
      blockNumber: 1,
    };
    scene.chain.roots.set('MB-1', foreign);
    expect(await scene.run()).toMatchObject({ batchesManualReview: 1 });
    expect((await batchesOf(scene))[0]).toMatchObject({ status: 'MANUAL_REVIEW', review_reason: 'DIFFERENT_ROOT' });
    expect(await scene.run(true)).toMatchObject({ batchIds: [] });
    expect(scene.chain.writes).toEqual([]);
  });

  test('batch numbers continue after the highest number in the ledger, also with an older database', async () => {
    const database = await open(migrations);
    await using scene = await openScene(database);
    const entries = ['MB-1', 'MB-3', 'MB-20'].map((subject, position) => ({
      position,
      kind: 'BATCH_ROOT' as const,
      subject,
      packed: Buffer.alloc(0),
      leaf_hash: Buffer.alloc(0),
      recorded_at: 0,
    }));
    await database.db.insertInto('ledger_entry').values(entries).execute();
    for (let time = 0; time < 3; time += 1) {
      await scene.store(1);
      expect(await scene.run()).toMatchObject({ batchesCompleted: 1 });
    }
    expect((await batchesOf(scene)).map(({ id }) => id)).toEqual([21, 22, 23]);
    const leaves = await database.db.selectFrom('attestation_leaf').select('id').orderBy('id').execute();
    const afterLost = 20_000_000; // those of the batches 1 to 20 are in proofs that were issued
    expect(leaves.every(({ id }) => id > afterLost)).toBe(true);
    expect(leaves.at(-1)?.id).toBeLessThan(afterLost + 10);
    expect([...scene.chain.roots.keys()]).toEqual(['MB-21', 'MB-22', 'MB-23']);
  });

  test('an interrupted submission is resumed after its lease, and a late write changes nothing', async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(1);
    const { db } = scene.world;
    // The first server falls silent right before its write, and is overtaken by a second one.
    scene.chain.beforeWrite = async () => {
      scene.chain.beforeWrite = undefined;
      scene.world.clock.advance(config.attestation.claimLeaseSeconds * 1000 + 1);
      expect(await scene.run()).toMatchObject({ batchesRecovered: 1, batchesCompleted: 1 });
    };
    expect(await scene.run()).toMatchObject({ batchesCreated: 1, batchesCompleted: 0 });
    expect(scene.chain.roots.size).toBe(1);
    expect((await batchesOf(scene))[0]).toMatchObject({ status: 'COMPLETED', fence: 3 });
    const events = await db.selectFrom('job').select('payload').where('kind', '=', 'event').execute();
    expect(events.filter(({ payload }) => payload.includes('"attestation.batch-completed"'))).toHaveLength(1);
  });

  test('candidates of a dead server are released after their lease, and dead letters after the last try', async () => {
    await using scene = await openScene(await open(migrations));
    const [fileId] = await scene.store(1);
    const { db, clock } = scene.world;
    await scene.run();
    await db.deleteFrom('attestation_leaf').execute();
    const die = (attempts: number) =>
      db
        .updateTable('attestation_candidate')
        .set({ status: 'CLAIMED', claim: 'gone', batch_id: null, attempts, due_at: clock.now() + 1000 })
        .execute();
    await die(1);
    expect(await scene.run(true)).toMatchObject({ candidatesClaimed: 0 });
    clock.advance(1000);
    expect(await scene.run(true)).toMatchObject({ candidatesClaimed: 1, batchesCompleted: 1 });
    await db.deleteFrom('attestation_leaf').execute();
    await die(config.attestation.candidateMaxAttempts);
    clock.advance(1000);
    expect(await scene.run(true)).toMatchObject({ candidatesClaimed: 0, candidatesDeadLettered: 1 });
    const file = await db
      .selectFrom('file')
      .select('proof_status')
      .where('id', '=', fileId ?? 0)
      .executeTakeFirst();
    expect(file?.proof_status).toBe('NONE');
    expect(await scene.run(true)).toMatchObject({ candidatesAdmitted: 0 });
  });

  test('a file with a damaged manifest does not block other files, and ends as a dead letter', async () => {
    await using scene = await openScene(await open(migrations));
    const [bad] = await scene.store(3);
    const { db, clock } = scene.world;
    await writeManifestText(db, bad ?? 0, '{"a":1}');
    expect(await scene.run()).toMatchObject({ candidatesClaimed: 3, batchesCompleted: 1 });
    for (let attempt = 2; attempt <= config.attestation.candidateMaxAttempts; attempt += 1) {
      expect(await scene.run(true)).toMatchObject({ candidatesClaimed: 0 });
      clock.advance(3_600_000);
      const dead = attempt === config.attestation.candidateMaxAttempts ? 1 : 0;
      expect(await scene.run()).toMatchObject({
        candidatesClaimed: 1,
        candidatesDeadLettered: dead,
        batchesCreated: 0,
      });
    }
    const statuses = (await candidatesOf(scene)).map(({ status }) => status);
    expect(statuses).toEqual(['DEAD_LETTER', 'BATCHED', 'BATCHED']);
  });

  test('a claim that is lost while the tree is built writes nothing', async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(2);
    const { db } = scene.world;
    let once = true;
    const database = {
      ...scene.server.database,
      db: db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          const isManifest = once && result.rows.some(row => 'packed' in row);
          if (isManifest) {
            once = false;
            await db
              .updateTable('attestation_candidate')
              .set({ claim: 'somebody else' })
              .where('status', '=', 'CLAIMED')
              .execute();
          }
          return result;
        },
      }),
    };
    const server = { ...scene.server, database };
    const input = { tenantId: scene.owner.tenantId, force: true };
    expect(await runProduction(server, input)).toMatchObject({ candidatesClaimed: 2, batchesCreated: 0, batchIds: [] });
    expect(await batchesOf(scene)).toEqual([]);
  });

  test('a slow batch renews its lease beside fast ones, and a completed batch is not modified', async () => {
    await using scene = await openScene(await open(migrations));
    const { chain, world } = scene;
    await scene.store(1);
    const gate = openGate();
    chain.beforeWrite = async () => {
      chain.beforeWrite = undefined;
      await gate.pass();
    };
    using heartbeats = holdHeartbeats();
    const slow = scene.run();
    await gate.reached;
    await scene.store(1);
    expect(await scene.run()).toMatchObject({ batchesCreated: 1, batchesCompleted: 1 });
    const [, fast] = await batchesOf(scene);
    for (let beat = 1; beat <= 3; beat += 1) {
      heartbeats.pass(world.clock, 50_000);
      await until(async () => (await batchesOf(scene))[0]?.due_at === world.clock.now() + 120_000);
    }
    expect(await scene.run(true)).toMatchObject({ batchesRecovered: 0, batchesCompleted: 0 });
    expect((await batchesOf(scene))[1]).toEqual(fast);
    gate.open();
    expect(await slow).toMatchObject({ batchesCompleted: 1 });
    expect(await batchesOf(scene)).toMatchObject([{ status: 'COMPLETED', fence: 2 }, fast]);
  });

  test('candidates renew their lease while their tree is being built', async () => {
    await using scene = await openScene(await open(migrations));
    await scene.store(2);
    const { db, clock } = scene.world;
    const gate = openGate();
    const database = {
      ...scene.server.database,
      db: db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          if (result.rows.some(row => 'packed' in row)) await gate.pass();
          return result;
        },
      }),
    };
    using heartbeats = holdHeartbeats();
    const building = runProduction({ ...scene.server, database }, { tenantId: scene.owner.tenantId, force: true });
    await gate.reached;
    for (let beat = 1; beat <= 3; beat += 1) {
      heartbeats.pass(clock, 50_000);
      await until(async () => (await candidatesOf(scene)).every(row => row.due_at === clock.now() + 120_000));
    }
    expect(await scene.run(true)).toMatchObject({ candidatesClaimed: 0 });
    gate.open();
    expect(await building).toMatchObject({ candidatesClaimed: 2, batchesCreated: 1 });
    expect(await candidatesOf(scene)).toMatchObject([
      { status: 'BATCHED', attempts: 1 },
      { status: 'BATCHED', attempts: 1 },
    ]);
  });

  describe('thresholds', () => {
    const modest = { minBatchSize: 3, maxBatchSize: 4, maxWaitSeconds: 60, maxBatchesPerRun: 2, seedLimit: 100 };

    test('a batch below the minimum size is deferred, but not longer than the maximum wait', {
      tags: 'long-on-postgres',
    }, async () => {
      await using scene = await openScene(await open(migrations), modest);
      await scene.store(2);
      expect(await scene.run()).toMatchObject({ candidatesAdmitted: 2, candidatesClaimed: 0, thresholdDeferred: true });
      scene.world.clock.advance(60_000);
      expect(await scene.run()).toMatchObject({ candidatesClaimed: 2, batchesCompleted: 1, thresholdDeferred: false });
    });

    test('a run makes at most the configured number of batches of the configured size', {
      tags: 'long-on-postgres',
    }, async () => {
      await using scene = await openScene(await open(migrations), modest);
      await scene.store(11);
      expect(await scene.run()).toMatchObject({ candidatesClaimed: 8, batchesCreated: 2, batchesCompleted: 2 });
      expect(await scene.run()).toMatchObject({ candidatesClaimed: 3, batchesCreated: 1 });
    });

    test('a run admits at most the configured number of missed files', { tags: 'long-on-postgres' }, async () => {
      await using scene = await openScene(await open(migrations), { ...modest, seedLimit: 4 });
      await scene.store(5);
      expect(await scene.run()).toMatchObject({ candidatesAdmitted: 4 });
      expect(await scene.run()).toMatchObject({ candidatesAdmitted: 1 });
    });
  });

  test('twenty concurrent runs put every file into one batch and submit every batch once', async () => {
    await using scene = await openScene(await open(migrations), { maxBatchSize: 5 });
    await scene.store(60);
    await Promise.all(Array.from({ length: 20 }, () => scene.run(true)));
    const candidates = await candidatesOf(scene);
    expect(candidates.every(({ status }) => status === 'BATCHED')).toBe(true);
    const batches = await batchesOf(scene);
    expect(batches.reduce((sum, batch) => sum + batch.tree_size, 0)).toBe(60);
    expect(scene.chain.writes.toSorted()).toEqual(batches.map(({ id }) => `MB-${id}`).toSorted());
  });
});
