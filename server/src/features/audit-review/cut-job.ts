// Deletion of rows that backups contain, a few thousand per transaction. A waiting job also covers later requests: it
// reads the target position when it runs.
import type { Key } from '../../platform/db/tables.ts';
import { exponentialBackoff, type JobHandler, type NewJob } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { cutChain, findAnchor } from '../audit/index.ts';
import { findLastToDelete } from './backup-queries.ts';
import { countAll } from './count-rows.ts';

const cutJobKind = 'audit-review.cut';
const rowsAtOnce = 5000;

export const toCutJob = (tenantId: Key): NewJob => ({
  kind: cutJobKind,
  uniqueKey: `${tenantId}`,
  payload: { tenantId },
});

export const cutJob = (server: Pick<Server, 'database'>): JobHandler => ({
  kind: cutJobKind,
  leaseSeconds: 60,
  maxAttempts: 10,
  backoffSeconds: exponentialBackoff(2, 300),
  run: async ({ payload, signal, assertFence }) => {
    const { db } = server.database;
    const tenantId = payload.tenantId as Key;
    const through = (await findLastToDelete(db, tenantId))?.last_position ?? 0;
    await countAll(server, tenantId, signal); // deleted rows cannot be counted any more
    let { position } = await findAnchor(db, tenantId);
    while (position < through) {
      signal.throwIfAborted(); // the next worker continues
      const cut = await db.transaction().execute(async tx => {
        await assertFence(tx);
        return cutChain(tx, tenantId, through, rowsAtOnce);
      });
      if (cut <= position) throw new Error(`the audit log lacks a row behind ${position} that was backed up`);
      position = cut;
    }
  },
});
