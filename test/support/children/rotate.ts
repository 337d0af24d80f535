// A server that works on one run of a key rotation until it is over: reports its begin, then the time and resources
// that it took.
import { setTimeout as pass } from 'node:timers/promises';
import { readConfig } from '@recordproof/server/config/config.ts';
import { openCryptoPolicies } from '@recordproof/server/features/crypto-policy/index.ts';
import { declareKeyRotationMetrics } from '@recordproof/server/features/key-rotation/metrics.ts';
import { workOnRun } from '@recordproof/server/features/key-rotation/work-run.ts';
import { openLocalKeys } from '@recordproof/server/platform/crypto/local-keys.ts';
import { limitHeapGrowth } from '@recordproof/server/platform/memory.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { openMetrics } from '@recordproof/server/platform/telemetry/metrics.ts';
import { childInput, tell } from '../child.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../database-address.ts';
import type { PlannedRotation } from '../rotation-world.ts';

export type RotateInput = {
  readonly address: TestDatabaseAddress;
  readonly planned: PlannedRotation;
  /** Its clock runs this many times as fast from `since` on, so that leases and pauses end soon. */
  readonly speed: number;
  readonly since: number;
};

export type RotateReport = {
  readonly seconds: number;
  /** Processor time of this process alone. */
  readonly processorSeconds: number;
  readonly peakMiB: number;
};

/** Changes of the run by others are detected soon. */
const longestPauseMs = 20;

limitHeapGrowth();
const { address, planned, speed, since } = childInput<RotateInput>();
const clock = { now: () => Math.floor(since + (Date.now() - since) * speed) };
const database = await openTestDatabase(address);
const keyProvider = await openLocalKeys({ path: planned.keyFile, createIfMissing: false });
const keyRotationMetrics = declareKeyRotationMetrics({ metrics: openMetrics(), database, clock });
const config = await readConfig([], {});
const server = {
  database,
  clock,
  log: silentLog,
  config,
  keyProvider,
  keyProviders: [keyProvider],
  cryptoPolicies: openCryptoPolicies({ database, clock, keyProvider }),
  keyRotationMetrics,
};

tell('ready');
const started = performance.now();
const usedBefore = process.cpuUsage();
for (;;) {
  const until = await workOnRun(server, planned, new AbortController().signal);
  if (until === null) break;
  await pass(Math.min(longestPauseMs, Math.max(1, (until - clock.now()) / speed)));
}
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(usedBefore);
await database.close();
const report: RotateReport = {
  seconds,
  processorSeconds: (user + system) / 1_000_000,
  peakMiB: process.resourceUsage().maxRSS / 1024,
};
tell(report);
process.disconnect?.();
