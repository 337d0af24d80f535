// A server that emits events and delivers them to one consumer, and dies at one step of the delivery of event `dieIn`.
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { openOutbox } from '@recordproof/server/platform/outbox/open-outbox.ts';
import { type Consumer, emit } from '@recordproof/server/platform/outbox/outbox.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { childInput, dieHere, tell } from '../child.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../database-address.ts';
import { noteEffect } from '../effects.ts';

export type OutboxInput = {
  readonly address: TestDatabaseAddress;
  readonly dieIn: number;
  readonly at: 'before the commit' | 'before the effects' | 'within the effects' | 'after the effects';
};

const { address, dieIn, at } = childInput<OutboxInput>();
const { db, kind: engine } = await openTestDatabase(address);
const dieAt = (point: OutboxInput['at'], event: { readonly payload: Readonly<Record<string, unknown>> }) => {
  if (point === at && event.payload.number === dieIn) dieHere();
};
const consumer: Consumer = {
  name: 'noter',
  types: ['test.numbered'],
  handle: async (tx, events) => {
    for (const event of events) {
      dieAt('before the effects', event);
      await noteEffect(tx, String(event.payload.number));
      dieAt('within the effects', event);
    }
  },
  committed: event => dieAt('after the effects', event),
};
const common = { db, engine, clock: systemClock, log: silentLog };
const { setHandlers } = openOutbox({ ...common, consumers: [consumer] });
const worker = openWorker({ ...common, handlers: [], setHandlers });
for (let number = 0; number < 10; number++) {
  const event = { type: 'test.numbered', tenantId: 1, payload: { number } };
  await db.transaction().execute(async tx => {
    await emit(tx, event, systemClock.now());
    dieAt('before the commit', event);
  });
  tell(number);
}
await worker.drain();
