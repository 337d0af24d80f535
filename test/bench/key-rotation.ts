// Benchmark of key rotation: durable rewraps of envelopes under a new master key, against a bare loop that unwraps,
// wraps and verifies as many keys in memory, in turns; and memory for few and for many, with the flags of a server.
// Figures are per second of wall-clock time and per second of processor time, which is independent of other work of the
// machine:
//   node test/bench/key-rotation.ts [envelopes] [rounds]
import { createSecretKey, randomBytes } from 'node:crypto';
import { rotations } from '@recordproof/server/features/key-rotation/rotations.ts';
import { findRun } from '@recordproof/server/features/runs/index.ts';
import { memoryFlags } from '@recordproof/shared/node/launch/memory-flags.mjs';
import { issueCertificate } from '../../server/src/features/key-rotation/issue-certificate.ts';
import { openLocalSigningKeys } from '../../server/src/features/proofs/index.ts';
import { localCall } from '../../server/src/platform/call.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { isSameKey } from '../../server/src/platform/crypto/envelope.ts';
import { unwrapLocally, wrapLocally } from '../../server/src/platform/crypto/local-wrap.ts';
import type { Database, Engine } from '../../server/src/platform/db/open-db.ts';
import { listEngines, withTestDatabase } from '../support/bench-engines.ts';
import { printFigures } from '../support/bench-figures.ts';
import { startChild } from '../support/child.ts';
import type { RotateReport } from '../support/children/rotate.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../support/database-address.ts';
import { stopPostgres } from '../support/postgres.ts';
import { type PlannedRotation, planRotation } from '../support/rotation-world.ts';

const [envelopes = 100_000, rounds = 3] = process.argv.slice(2).map(Number);

type Rotated = RotateReport & { readonly certificateSeconds: number };

const rotate = (engine: Engine, count: number): Promise<Rotated> =>
  withTestDatabase(engine, async (address, folder) => {
    const database = await openTestDatabase(address);
    const planned = await planRotation(database, { folder, envelopes: count });
    await database.close();
    const child = startChild('rotate.ts', { address, planned, speed: 1, since: Date.now() }, memoryFlags);
    await child.next(); // it begins
    const report = (await child.next()) as RotateReport;
    await child.ended;
    return { ...report, certificateSeconds: await timeCertificate(address, planned, folder) };
  });

async function timeCertificate(
  address: TestDatabaseAddress,
  planned: PlannedRotation,
  folder: string,
): Promise<number> {
  const database: Database = await openTestDatabase(address);
  const signing = openLocalSigningKeys({ db: database.db, folder, clock: systemClock });
  const run = await findRun(database.db, rotations, planned);
  if (run === null) throw new Error(`run ${planned.runId} is gone`);
  const started = performance.now();
  await issueCertificate({ database, clock: systemClock, signing }, localCall('bench', run.tenant_id, 0), run);
  const seconds = (performance.now() - started) / 1000;
  await database.close();
  return seconds;
}

type Measured = Pick<RotateReport, 'seconds' | 'processorSeconds'>;

function measureBare(): Measured {
  const [before, after] = [createSecretKey(randomBytes(32)), createSecretKey(randomBytes(32))];
  const wrapped = Array.from({ length: envelopes }, () => {
    const binding = randomBytes(32);
    return { binding, bytes: wrapLocally(before, createSecretKey(randomBytes(32)), binding) };
  });
  const started = performance.now();
  const usedBefore = process.cpuUsage();
  for (const { binding, bytes } of wrapped) {
    const key = unwrapLocally(before, bytes, binding);
    const moved = wrapLocally(after, key, binding);
    if (!isSameKey(key, unwrapLocally(after, moved, binding))) throw new Error('not the same key');
  }
  const { user, system } = process.cpuUsage(usedBefore);
  return { seconds: (performance.now() - started) / 1000, processorSeconds: (user + system) / 1_000_000 };
}

const few = Math.ceil(envelopes / 10);
/** Items per second, of wall-clock or processor time. */
const toRates = (all: readonly Measured[], by: keyof Measured) => all.map(measured => envelopes / measured[by]);

try {
  for (const engine of listEngines()) {
    const bare: Measured[] = [];
    const moved: Rotated[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bare.push(measureBare());
      moved.push(await rotate(engine, envelopes));
    }
    const small = await rotate(engine, few);
    const rate = (name: string, by: keyof Measured) => ({
      ...{ name, unit: 'items/s', samples: toRates(moved, by) },
      references: { [`bare loop${by === 'seconds' ? '' : ', by processor'}`]: toRates(bare, by) },
    });
    printFigures(`${engine}, ${envelopes} envelopes`, [
      rate('by the clock', 'seconds'),
      rate('by processor', 'processorSeconds'),
      { name: 'certificate over all items', unit: 's', samples: moved.map(one => one.certificateSeconds) },
      { name: 'memory at most', unit: 'MiB', samples: moved.map(one => one.peakMiB), note: '(< 200)' },
      { name: `memory at most for ${few}`, unit: 'MiB', samples: small.peakMiB },
    ]);
  }
} finally {
  await stopPostgres();
}
