// Metrics of key rotation, under the names of the specification. Labels never name a tenant, a run or a key.
import { failureCategories, itemOutcomes } from '@recordproof/shared/api/key-rotation.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Platform } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { countItems, type ItemRow } from './item-queries.ts';
import { findLatestRun } from './queries.ts';

export type KeyRotationMetrics = {
  /** Items that wait for another attempt are not counted yet. */
  itemsEnded(ending: Pick<ItemRow, 'status' | 'outcome' | 'failure_category'>, count: number): void;
};

const keepMs = 1000;
const timeoutMs = 2000;

export function declareKeyRotationMetrics({
  metrics,
  database,
  clock,
}: Pick<Platform, 'metrics' | 'database' | 'clock'>): KeyRotationMetrics {
  const items = metrics.counter({
    name: 'app_key_rotation_items_total',
    help: 'Items of key rotations by how they ended',
    labels: { outcome: [...itemOutcomes, 'FAILED'], failure_category: ['NONE', ...failureCategories] },
  });
  const readLatest = async (tenantId?: Key) => {
    const run = await findLatestRun(database.db, tenantId);
    if (run === null) return { remaining: 0, failed: 0, retirement_blocked: 0 };
    const { remaining, failed } = await countItems(database.db, run.id);
    const isBlocked = run.mode === 'APPLY' && run.status !== 'COMPLETED';
    return { remaining, failed, retirement_blocked: isBlocked ? 1 : 0 };
  };
  const read = openSharedRead(() => readLatest(), { clock, keepMs, timeoutMs });
  const gauge = (name: 'remaining' | 'failed' | 'retirement_blocked', help: string) =>
    metrics.gauge({
      name: `app_key_rotation_${name}`,
      help,
      labels: {},
      read: async () => [{ labels: {}, value: (await read())[name] }],
      readTenant: async tenantId => [{ labels: {}, value: (await readLatest(tenantId))[name] }],
    });
  gauge('remaining', 'Items of the newest run that wait; a sign of a stall, no total');
  gauge('failed', 'Items of the newest run that failed');
  gauge('retirement_blocked', 'Whether the newest run keeps the old key from being retired');
  return {
    itemsEnded: ({ status, outcome, failure_category }, count) => {
      if (status === 'PENDING') return;
      const labels = { outcome: outcome ?? 'FAILED', failure_category: failure_category ?? 'NONE' };
      items.add(labels as Parameters<typeof items.add>[0], count);
    },
  };
}
