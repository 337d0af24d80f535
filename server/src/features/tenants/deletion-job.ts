// The job that deletes a tenant: accounts, files, messages. It can be interrupted and continues with what is left; rows
// that proofs, ledger and audit log refer to stay. A schedule deletes what was stored too late.
import { localCall } from '../../platform/call.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { exponentialBackoff, type JobHandler, type JobRun } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import {
  changeTenantStatus,
  closeAccount,
  findTenantById,
  getDefaultTenant,
  listUndeleted,
} from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { deleteLiveFiles } from '../trash/index.ts';
import { auditBoth, deletionJobKind, enqueueDeletion } from './change-tenant.ts';
import { listUnfinishedDeletions } from './queries.ts';

type Deleting = Pick<Server, 'database' | 'clock' | 'passwords' | 'hooks' | 'parts'>;

const accountsAtOnce = 20;
const rowsAtOnce = 500;
const longestSeconds = 24 * 3600;

export const deletionJob = (server: Deleting): JobHandler => ({
  kind: deletionJobKind,
  leaseSeconds: 120,
  maxAttempts: 100,
  maxSeconds: longestSeconds,
  backoffSeconds: exponentialBackoff(5, 600),
  run: async job => {
    const tenantId = job.payload.tenantId as Key;
    const tenant = await findTenantById(server.database.db, tenantId);
    if (tenant?.status !== 'DELETING' && tenant?.status !== 'DELETED') return;
    await closeAccounts(server, job, tenantId);
    const reason = 'the tenant was deleted';
    await deleteLiveFiles(server, job, { scope: { tenantId }, reason, by: deletionJobKind });
    await eraseRows(server, job, tenantId);
    await server.database.db.transaction().execute(tx => finish(tx, server, job, tenantId));
  },
});

async function closeAccounts(server: Deleting, job: JobRun, tenantId: Key): Promise<void> {
  const { database, clock, passwords } = server;
  const { db } = database;
  for (;;) {
    const accounts = await listUndeleted(db, tenantId, accountsAtOnce);
    if (accounts.length === 0) return;
    const unknownPassword = await passwords.hash(randomBase62(64), 'local');
    for (const account of accounts) {
      job.signal.throwIfAborted();
      await db.transaction().execute(async tx => {
        await job.assertFence(tx);
        const now = clock.now();
        await closeAccount(tx, server, { account, files: 'keep', unknownPassword, now });
        const call = localCall(deletionJobKind, tenantId, now);
        const param = { accountId: account.id, role: account.role };
        const description = `account ${account.username} deleted with its tenant`;
        await recordAudit(tx, call, now, 'accounts.delete', description, param);
      });
    }
    await job.keepLease();
  }
}

async function eraseRows({ database, clock, parts }: Deleting, job: JobRun, tenantId: Key): Promise<void> {
  for (const eraseSome of parts.flatMap(({ tenantRows }) => tenantRows ?? [])) {
    for (let erased = rowsAtOnce; erased === rowsAtOnce; ) {
      job.signal.throwIfAborted();
      erased = await database.db.transaction().execute(async tx => {
        await job.assertFence(tx);
        return eraseSome(tx, { engine: database.kind, tenantId, limit: rowsAtOnce, now: clock.now() });
      });
    }
    await job.keepLease();
  }
}

/** Releases the name; the new one is not a valid tenant name. */
async function finish(tx: Tx, { clock }: Deleting, job: JobRun, tenantId: Key): Promise<void> {
  await job.assertFence(tx);
  const now = clock.now();
  const tenant = await findTenantById(tx, tenantId);
  if (tenant?.status !== 'DELETING') return;
  const change = { status: 'DELETED', reason: tenant.status_reason, name: `(deleted ${tenantId})` } as const;
  if ((await changeTenantStatus(tx, tenantId, ['DELETING'], change, now)) === null) return; // another run was faster
  const call = localCall(deletionJobKind, await getDefaultTenant(tx), now);
  const description = `tenant ${tenant.name} deleted`;
  const param = { name: tenant.name };
  await auditBoth(tx, call, { tenantId, method: 'tenants.deleted', description, param }, now);
}

export const recheckJobKind = 'tenants.recheck';

/** A request in progress when the deletion started may have stored a file after the job. */
export const recheckJob = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: recheckJobKind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: exponentialBackoff(30, 300),
  run: async () => {
    for (const tenantId of await listUnfinishedDeletions(database.db))
      await database.db.transaction().execute(tx => enqueueDeletion(tx, tenantId, clock.now()));
  },
});
