// Takes the lock "work", reports it, and holds it until killed; or increments a counter under it, `rounds` times.
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { withLease } from '@recordproof/server/platform/lock.ts';
import { childInput, tell } from '../child.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../database-address.ts';

const { address, rounds } = childInput<{ address: TestDatabaseAddress; rounds: number }>();
const { db, kind: engine, close } = await openTestDatabase(address);
const context = { db, engine, clock: systemClock };
const value = () => db.selectFrom('counter').select('value').where('name', '=', 'left').executeTakeFirstOrThrow();

if (rounds === 0) {
  await withLease(context, 'work', { leaseSeconds: 30 }, async ({ fence }) => {
    tell(fence);
    await new Promise(resolve => setTimeout(resolve, 600_000));
  });
}
for (let round = 0; round < rounds; round++) {
  await withLease(context, 'work', { leaseSeconds: 30, waitMs: 60_000 }, async ({ assertFence }) => {
    const before = (await value()).value;
    await db.transaction().execute(async tx => {
      await assertFence(tx);
      await tx
        .updateTable('counter')
        .set({ value: before + 1 })
        .where('name', '=', 'left')
        .execute();
    });
  });
}
await close();
process.disconnect?.();
