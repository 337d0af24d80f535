// Metrics and health of the scrub.

import { toIso } from '../../platform/clock.ts';
import type { HealthProbe } from '../../platform/health.ts';
import type { Server } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { countFailed, findOldestVerified } from '../stored-objects/index.ts';
import { countUnresolved } from './queries.ts';

const outcomes = ['whole', 'damaged', 'failed'] as const;

export type ScrubMetrics = { objectRead(outcome: (typeof outcomes)[number], bytes: number): void };

const shared = { keepMs: 1000, timeoutMs: 2000 } as const;
const daySeconds = 86_400;
const one = (value: number) => [{ labels: {}, value }];

type Dependencies = Pick<Server, 'metrics' | 'database' | 'clock' | 'config'>;

export function declareScrubMetrics({ metrics, database: { db }, clock, config }: Dependencies): ScrubMetrics {
  const bytesRead = metrics.counter({
    name: 'app_integrity_scrub_bytes_total',
    help: 'Stored bytes that the scrub has read',
    labels: {},
  });
  const objectsRead = metrics.counter({
    name: 'app_integrity_scrub_objects_total',
    help: 'Stored objects that the scrub has read: whole, damaged, or failed where the store did not answer',
    labels: { outcome: outcomes },
  });
  const oldest = openSharedRead(() => findOldestVerified(db), { clock, ...shared });
  metrics.gauge({
    name: 'app_integrity_scrub_oldest_seconds',
    help: 'Time since the least recently read object was read',
    labels: {},
    read: async () => {
      const readAt = await oldest();
      return one(readAt === null ? 0 : Math.max(0, (clock.now() - readAt) / 1000));
    },
  });
  metrics.gauge({
    name: 'app_integrity_scrub_within_seconds',
    help: 'Time within which every byte is to be read again; absent where the scrub is off',
    labels: {},
    read: () => (config.integrity.scrub.enabled ? one(config.integrity.scrub.withinDays * daySeconds) : []),
  });
  const failed = openSharedRead(() => countFailed(db), { clock, ...shared });
  metrics.gauge({
    name: 'app_integrity_scrub_unreadable_objects',
    help: 'Stored objects that cannot be read although the store answers',
    labels: {},
    read: async () => one(await failed()),
  });
  const unresolved = openSharedRead(() => countUnresolved(db), { clock, ...shared });
  metrics.gauge({
    name: 'app_integrity_alerts_unresolved',
    help: 'Unresolved integrity alerts',
    labels: {},
    read: async () => one(await unresolved()),
    readTenant: async tenantId => one(await countUnresolved(db, tenantId)),
  });
  return {
    objectRead: (outcome, bytes) => {
      objectsRead.add({ outcome });
      if (bytes > 0) bytesRead.add({}, bytes);
    },
  };
}

const lateAdvice = 'the scrub is late: raise integrity.scrub.bytes-per-second, or give it more hours';
const unreadableAdvice = (objects: number): string =>
  `${objects} stored objects cannot be read although the store answers: the log names them; check the disk and the permissions`;

/** DEGRADED if an object was not read within the configured time, or cannot be read. */
export const scrubProbe = ({ database, clock, config }: Omit<Dependencies, 'metrics'>): HealthProbe => ({
  name: 'scrub',
  countsAllTenants: true,
  check: async () => {
    const { enabled, withinDays } = config.integrity.scrub;
    if (!enabled) return { status: 'UP', details: { enabled } };
    const oldest = await findOldestVerified(database.db);
    const isLate = oldest !== null && oldest < clock.now() - withinDays * daySeconds * 1000;
    const unreadableObjects = await countFailed(database.db);
    const oldestVerifiedAt = oldest === null ? null : toIso(oldest);
    const details = { enabled, withinDays, oldestVerifiedAt, unreadableObjects };
    if (unreadableObjects > 0)
      return { status: 'DEGRADED', details: { ...details, error: unreadableAdvice(unreadableObjects) } };
    return isLate ? { status: 'DEGRADED', details: { ...details, error: lateAdvice } } : { status: 'UP', details };
  },
});
