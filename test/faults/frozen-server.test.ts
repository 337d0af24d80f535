// A server that is frozen in the middle of a transaction, as one whose machine sleeps: the other servers continue, and
// its own change is reported as not done.

import { appendAudit, verifyAuditChain } from '@recordproof/server/features/audit/index.ts';
import { addUsageUnchecked } from '@recordproof/server/features/quotas/quota.ts';
import { localCall } from '@recordproof/server/platform/call.ts';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { toApiError } from '@recordproof/server/platform/http/answers.ts';
import { createTicket } from '@recordproof/shared/api/tickets.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { listAuditRows } from '../../test/support/audit-rows.ts';
import { startApp } from '../support/app.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { sendFile } from '../support/uploads.ts';

afterAll(stopPostgres);

test('a server frozen before its commit blocks neither the audit log nor the tenant counters', async () => {
  const { url } = await (await postgres()).freshDatabase();
  await using app = await startApp({ env: { DATABASE_URL: url } });
  const alice = await app.person('alice');
  const { tenant_id: tenantId, id: ownerId } = await app.app.database.db
    .selectFrom('account')
    .select(['tenant_id', 'id'])
    .where('username', '=', 'alice')
    .executeTakeFirstOrThrow();
  const frozen = await openDatabase(app.config.db);
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const change = frozen.db.transaction().execute(async tx => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx); // frozen until the test resumes it
    const entry = { module: 'tests', operation: 'freeze', description: 'stood still' };
    await appendAudit(tx, localCall('frozen', tenantId, app.clock.now()), entry, app.clock.now());
    await addUsageUnchecked(tx, [{ tenantId, ownerId, files: 0, bytes: 0, latestFiles: 0 }]);
    begun.resolve();
    await goOn.promise;
  });
  await begun.promise;
  await alice.call(createTicket, { body: { title: 'Still there?', content: 'Yes.' } });
  expect((await sendFile(alice, Buffer.from('stored meanwhile'))).status).toBe(200);
  goOn.resolve();
  await change;
  await frozen.close();
  const { db } = app.app.database;
  expect(await verifyAuditChain(db, tenantId)).toMatchObject({ brokenAt: null });
  const rows = await listAuditRows(db, { tenant_id: tenantId });
  expect(rows.at(-1)).toMatchObject({ description: 'stood still' });
});

test('a lock on the audit log head held by a frozen server is released for other servers', async () => {
  const { url } = await (await postgres()).freshDatabase();
  await using app = await startApp({ env: { DATABASE_URL: url } });
  const alice = await app.person('alice');
  const frozen = await openDatabase(app.config.db);
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const change = frozen.db.transaction().execute(async tx => {
    await tx.updateTable('audit_head').set({ length: 0 }).execute();
    begun.resolve();
    await goOn.promise;
    await tx.updateTable('audit_head').set({ length: 0 }).execute();
  });
  await begun.promise;
  await alice.call(createTicket, { body: { title: 'Still there?', content: 'Yes.' } });
  goOn.resolve(); // only now: the others did not wait for it
  const failure = await change.catch((error: unknown) => error);
  expect(toApiError(failure).status).toBe(503);
  await frozen.close();
  expect(await app.app.database.db.selectFrom('audit_head').select('length').where('length', '=', 0).execute()).toEqual(
    [],
  );
});
