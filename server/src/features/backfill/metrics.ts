// Metrics of backfills, by mode and class. Labels never name a tenant, file or run.

import { type BackfillMode, backfillModes } from '@recordproof/shared/api/backfill.ts';
import { type BackfillClassification, backfillClassifications } from '@recordproof/shared/api/backfill-reasons.ts';
import type { Platform } from '../../platform/server.ts';

export type BackfillMetrics = {
  /** Items that wait for a retry are counted when they end. */
  itemEnded(mode: BackfillMode, classification: BackfillClassification): void;
};

export function declareBackfillMetrics({ metrics }: Pick<Platform, 'metrics'>): BackfillMetrics {
  const items = metrics.counter({
    name: 'app_manifest_backfill_items_total',
    help: 'Items of manifest backfills by how they ended',
    labels: { mode: backfillModes, classification: backfillClassifications },
  });
  return { itemEnded: (mode, classification) => items.add({ mode, classification }) };
}
