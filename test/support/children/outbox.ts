// A server that emits events and publishes them to one consumer, and dies at one point on the way of event `dieIn`.
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { LocalTransport } from '@recordproof/server/platform/outbox/local-transport.ts';
import { type Consumer, emit, openOutbox, toConsumerGroups } from '@recordproof/server/platform/outbox/outbox.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { childInput, dieHere, tell } from '../child.ts';
import { noteEffect } from '../effects.ts';
import { openPlace, type Place } from '../place.ts';

export const diePoints = [
  'before the commit',
  'before publishing',
  'within the consumer',
  'after the consumer',
  'after publishing',
] as const;

export type OutboxInput = { readonly place: Place; readonly dieIn: number; readonly at: (typeof diePoints)[number] };

const { place, dieIn, at } = childInput<OutboxInput>();
const { db, kind: engine } = await openPlace(place);
const dieAt = (point: OutboxInput['at'], event: { readonly payload: Readonly<Record<string, unknown>> }) => {
  if (point === at && event.payload.number === dieIn) dieHere();
};
const consumer: Consumer = {
  name: 'noter',
  types: ['test.#'],
  handle: async (tx, event) => {
    await noteEffect(tx, String(event.payload.number));
    dieAt('within the consumer', event);
  },
};
const local = new LocalTransport({ groups: toConsumerGroups([consumer]) });
const outbox = await openOutbox({
  db,
  engine,
  clock: systemClock,
  log: silentLog,
  consumers: [consumer],
  transport: {
    publish: async event => {
      dieAt('before publishing', event);
      await local.publish(event);
      dieAt('after publishing', event);
    },
    consume: (group, handler) =>
      local.consume(group, async (event, attempt) => {
        await handler(event, attempt);
        dieAt('after the consumer', event);
      }),
  },
});
const worker = openWorker({ db, engine, clock: systemClock, log: silentLog, handlers: [], pumps: [outbox.pump] });
for (let number = 0; number < 10; number++) {
  const event = { type: 'test.numbered', tenantId: 1, payload: { number } };
  await db.transaction().execute(async tx => {
    await emit(tx, event, systemClock.now());
    dieAt('before the commit', event);
  });
  tell(number);
}
await worker.drain();
