// Deletes rows that a backup has, a few thousand in a transaction.
import type { Key } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler, type NewJob } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { cutChain, findAnchor } from '../audit/index.ts';
import { countAll } from './count-rows.ts';
import { type BackupRow, findBackup } from './queries.ts';

const cutJobKind = 'audit-review.cut';
const rowsAtOnce = 5000;

export const toCutJob = ({ id, tenant_id }: BackupRow): NewJob => ({
  kind: cutJobKind,
  uniqueKey: `${tenant_id}`,
  payload: { tenantId: tenant_id, backupId: id },
});

export const cutJob = (server: Pick<Server, 'database'>): JobHandler => ({
  kind: cutJobKind,
  leaseSeconds: 60,
  maxAttempts: 10,
  backoffSeconds: exponentialBackoff(2, 300),
  run: async ({ payload, signal, assertFence }) => {
    const { db } = server.database;
    const tenantId = payload.tenantId as Key;
    const through = (await findBackup(db, tenantId, payload.backupId as Key))?.last_position ?? 0;
    await countAll(server, tenantId, signal); // what is gone can be counted no more
    let { position } = await findAnchor(db, tenantId);
    while (!signal.aborted && position < through)
      position = await db.transaction().execute(async tx => {
        await assertFence(tx);
        return cutChain(tx, tenantId, through, rowsAtOnce);
      });
  },
});
