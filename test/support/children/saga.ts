// A server that drives the transfer saga and dies at the given step; with `refuse` the last step never succeeds.
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { openSagas } from '@recordproof/server/platform/saga/open-sagas.ts';
import { SagaAbort, startSaga } from '@recordproof/server/platform/saga/saga.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { childInput, dieHere } from '../child.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../database-address.ts';
import { type CrashTiming, transferSaga } from '../transfer-saga.ts';

export type SagaInput = {
  readonly address: TestDatabaseAddress;
  readonly step: string;
  readonly moment: CrashTiming;
  readonly refuse: boolean;
};

const { address, step, moment: crashPoint, refuse: reject } = childInput<SagaInput>();
const { db, kind: engine } = await openTestDatabase(address);
const saga = transferSaga(db, (name, when) => {
  if (reject && name === 'give' && when === 'after') throw new SagaAbort('refused');
  if (name === step && when === crashPoint) dieHere();
});
const sagas = openSagas({ db, clock: systemClock, log: silentLog, sagas: [saga], runJob: id => worker.runNow(id) });
const worker = openWorker({ db, engine, clock: systemClock, log: silentLog, ...sagas });
const { id } = await db
  .transaction()
  .execute(tx => startSaga(tx, saga, { key: 'one', data: {}, now: systemClock.now() }));
await sagas.runNow(id);
