// A server that stands still in the middle of a transaction, as one whose machine sleeps: the others go on, and what it
// was about to change is told as not done.
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { toApiError } from '@recordproof/server/platform/http/answers.ts';
import { createTicket } from '@recordproof/shared/api/tickets.ts';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';

afterAll(stopPostgres);

test('the head of the audit log that a frozen server holds is free for the others within seconds', async () => {
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
  const before = performance.now();
  await alice.call(createTicket, { body: { title: 'Still there?', content: 'Yes.' } });
  expect(performance.now() - before).toBeLessThan(10_000);
  goOn.resolve();
  const failure = await change.catch((error: unknown) => error);
  expect(toApiError(failure).status).toBe(503);
  await frozen.close();
  expect(await app.app.database.db.selectFrom('audit_head').select('length').where('length', '=', 0).execute()).toEqual(
    [],
  );
});
