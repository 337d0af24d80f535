// Statistics of a tenant. Each is maintained with the change it counts, or counted in an index of the tenant: none
// reads the files.
import type { SystemStats } from '@recordproof/shared/api/system.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { countAccounts } from '../accounts/index.ts';
import { countAnchored } from '../attestation/index.ts';
import { toDay } from '../files/index.ts';
import { findUsage, wholeTenant } from '../quotas/index.ts';

export async function readStats(
  { database: { db }, clock, downloads }: Pick<Server, 'database' | 'clock' | 'downloads'>,
  tenantId: Key,
): Promise<SystemStats> {
  await downloads.flush();
  const today = toDay(clock.now());
  const [totalUsers, batches, used] = await Promise.all([
    countAccounts(db, tenantId),
    countAnchored(db, tenantId),
    findUsage(db, tenantId, wholeTenant),
  ]);
  return {
    totalUsers,
    totalFiles: used?.latest_files ?? 0,
    totalStorage: used?.bytes ?? 0,
    totalTransactions: (used?.recorded ?? 0) + batches,
    todayUploads: used?.upload_day === today ? used.day_uploads : 0,
    todayDownloads: used?.download_day === today ? used.day_downloads : 0,
  };
}
