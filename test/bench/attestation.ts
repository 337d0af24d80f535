// Benchmark of attestation on SQLite, durable: admitted candidates per second against commits of one row on the same
// disk, and the time to check, build and write a large batch. Run: npm run bench attestation, or node
// test/bench/attestation.ts [files]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildChunkManifest, chunkManifestBytes } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { migrations } from '../../server/src/compose/features.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { createAccount, insertTenant } from '../../server/src/features/accounts/index.ts';
import {
  admitFiles,
  admitStoredFiles,
  seedCandidates,
} from '../../server/src/features/attestation/admit-candidates.ts';
import { buildBatch } from '../../server/src/features/attestation/build-batch.ts';
import { declareAttestationMetrics } from '../../server/src/features/attestation/metrics.ts';
import { insertFiles } from '../../server/src/features/files/queries.ts';
import { packManifest } from '../../server/src/features/manifests/index.ts';
import { localOrigin } from '../../server/src/platform/call.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { type Database, openDatabase } from '../../server/src/platform/db/open-db.ts';
import { openWorker, type Worker } from '../../server/src/platform/jobs/worker.ts';
import { openOutbox } from '../../server/src/platform/outbox/open-outbox.ts';
import { type Consumer, emit } from '../../server/src/platform/outbox/outbox.ts';
import { openGoals } from '../../server/src/platform/telemetry/goals.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';
import { openMetrics } from '../../server/src/platform/telemetry/metrics.ts';
import { printFigures } from '../support/bench-figures.ts';
import { openDefaultPolicies } from '../support/default-policies.ts';
import { openShakyChain } from '../support/shaky-chain.ts';

const files = Number(process.argv[2] ?? 12_000);
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const clock = { now: () => Date.now() };

async function fill(database: Database): Promise<{ tenantId: number; ids: number[] }> {
  return database.db.transaction().execute(async tx => {
    const tenantId = await insertTenant(tx, 'bench', 0);
    const account = { tenantId, username: 'ada', email: 'ada@example.org', role: 'user', passwordHash: 'x' } as const;
    const { id: ownerId } = await createAccount(tx, localOrigin('bench', 0), account, 0);
    const ids: number[] = [];
    for (let index = 0; index < files; index += 1) {
      const digest = `sha256:${randomBytes(32).toString('hex')}`;
      const manifest = buildChunkManifest({
        fileHash: randomBytes(32).toString('hex'),
        chunkSize: 10,
        totalSize: 10,
        storageBackend: 'DISK',
        encryptionAlgorithm: 'NONE',
        chunks: [{ index: 0, plainHash: digest, cipherHash: digest, storagePath: `t/${index}` }],
      });
      const [file] = await insertFiles(
        tx,
        [
          {
            tenantId,
            ownerId,
            fileHash: manifest.fileHash,
            contentHash: digest,
            fileName: `${index}.bin`,
            fileSize: 10,
            contentType: 'application/octet-stream',
            encryption: 'NONE',
            fileNonce: null,
            createdBy: `bench:${index}`,
          },
        ],
        0,
      );
      const fileId = file?.id ?? 0;
      const stored = { status: 1, manifest_hash: manifest.manifestHash };
      await tx.updateTable('file').set(stored).where('id', '=', fileId).execute();
      const row = {
        tenant_id: tenantId,
        file_id: fileId,
        file_version: 1,
        manifest_hash: manifest.manifestHash,
        packed: packManifest(manifest.manifestHash, Buffer.from(chunkManifestBytes(manifest)).toString()),
        status: 'ACTIVE',
        deleted: 0,
        created_at: 0,
      };
      await tx.insertInto('manifest').values(row).execute();
      ids.push(fileId);
    }
    return { tenantId, ids };
  });
}

function openEvents({ db, kind: engine }: Database, consumer: Consumer): Worker {
  const { setHandlers } = openOutbox({ db, engine, clock, log: silentLog, consumers: [consumer] });
  return openWorker({ db, engine, clock, log: silentLog, handlers: [], setHandlers });
}

async function rate(count: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (count * 1000) / (performance.now() - started);
}

try {
  const database = await openDatabase({ kind: 'sqlite', path: join(folder, 'bench.db') });
  await migrate(database.db, database.kind, migrations, 0);
  const { tenantId, ids } = await fill(database);
  const { db } = database;
  const third = Math.floor(files / 3);
  const stored = ids.slice(third, 2 * third);
  const bare = await rate(third, async () => {
    for (let index = 0; index < third; index += 1) {
      await db
        .updateTable('tenant')
        .set({ name: `bench ${index}` })
        .where('id', '=', tenantId)
        .execute();
    }
  });
  const single = await rate(third, async () => {
    for (const fileId of ids.slice(0, third)) {
      await db.transaction().execute(tx => admitFiles(tx, { tenantId, fileIds: [fileId], limit: 1 }, clock.now()));
    }
  });
  const config = await readConfig([], { RECORDPROOF_PROFILE: 'laptop' });
  const metrics = openMetrics();
  const server = {
    database,
    clock,
    log: silentLog,
    chain: openShakyChain(),
    ...openDefaultPolicies({ database, clock }),
    attestationMetrics: declareAttestationMetrics({ metrics, goals: openGoals(metrics), database, clock }),
    config: { ...config, attestation: { ...config.attestation, maxBatchSize: 10_000 } },
  };
  const worker = openEvents(database, admitStoredFiles(server));
  await db.transaction().execute(async tx => {
    for (const fileId of stored) await emit(tx, { type: 'file.stored', tenantId, payload: { fileId } }, clock.now());
  });
  const arrived = await rate(third, () => worker.drain());
  const seeded = await rate(files - 2 * third, async () => {
    while ((await seedCandidates(server, tenantId)) > 0);
  });
  const size = Math.min(files, 10_000);
  const built = await rate(size, () => buildBatch(server, { tenantId, force: true }));
  const references = { 'commits of one row': bare };
  printFigures(`${files} files`, [
    { name: 'one durable transaction each', unit: 'files/s', samples: single, references },
    { name: 'files whose events wait', unit: 'files/s', samples: arrived, references, note: '(>= 2000)' },
    {
      name: `missed files, ${config.attestation.seedLimit} at a time`,
      unit: 'files/s',
      samples: seeded,
      note: '(>= 2000)',
    },
    { name: `batch of ${size}, checked and written`, unit: 'leaves/s', samples: built },
  ]);
  await database.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
