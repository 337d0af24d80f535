// Metrics of census and sweep. Labels never name a tenant or an object.
import { type MarkState, markStates } from '@recordproof/shared/api/sweep.ts';
import type { Platform } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { countWaiting } from './mark-queries.ts';

export type SweepMetrics = {
  censusEnded(state: 'COMPLETED' | 'FAILED'): void;
  /** `MARKED` for a new mark, else its final state. */
  markMoved(state: MarkState, bytes: number): void;
};

const keepMs = 1000;
const timeoutMs = 2000;

export function declareSweepMetrics({
  metrics,
  database,
  clock,
}: Pick<Platform, 'metrics' | 'database' | 'clock'>): SweepMetrics {
  const censuses = metrics.counter({
    name: 'app_sweep_census_total',
    help: 'Reference censuses by how they ended',
    labels: { state: ['COMPLETED', 'FAILED'] },
  });
  const marks = metrics.counter({
    name: 'app_sweep_marks_total',
    help: 'Marks that were made, and those that ended',
    labels: { state: markStates },
  });
  const deletedBytes = metrics.counter({
    name: 'app_sweep_deleted_bytes_total',
    help: 'Bytes of objects that the sweep deleted',
    labels: {},
  });
  const waiting = openSharedRead(() => countWaiting(database.db), { clock, keepMs, timeoutMs });
  metrics.gauge({
    name: 'app_sweep_marks_waiting',
    help: 'Marked objects that are still there',
    labels: {},
    read: async () => [{ labels: {}, value: await waiting() }],
    readTenant: async tenantId => [{ labels: {}, value: await countWaiting(database.db, tenantId) }],
  });
  return {
    censusEnded: state => censuses.add({ state }),
    markMoved: (state, bytes) => {
      marks.add({ state });
      if (state === 'DELETED') deletedBytes.add({}, bytes);
    },
  };
}
