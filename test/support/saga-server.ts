// A server that drives the transfer saga, for the suites about sagas.
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { jobMigrations } from '@recordproof/server/platform/jobs/migrations.ts';
import { openWorker } from '@recordproof/server/platform/jobs/worker.ts';
import { sagaMigrations } from '@recordproof/server/platform/saga/migrations.ts';
import { openSagas, type SagaOptions } from '@recordproof/server/platform/saga/open-sagas.ts';
import { type Saga, startSaga } from '@recordproof/server/platform/saga/saga.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import { movableClock } from './clock.ts';
import { effectMigrations } from './effects.ts';
import type { TransferData } from './transfer-saga.ts';

export const sagaTestMigrations = [...jobMigrations, ...sagaMigrations, ...effectMigrations];

export function openServer(db: Db, engine: Engine, saga: Saga<TransferData>, more: Partial<SagaOptions> = {}) {
  const clock = movableClock();
  const common = { db, engine, clock, log: silentLog };
  const sagas = openSagas({ ...common, sagas: [saga], runJob: id => worker.runNow(id), ...more });
  const worker = openWorker({ ...common, ...sagas, random: () => 0.5 });
  const begin = async (key = 'one') => {
    const data: TransferData = {};
    return db.transaction().execute(tx => startSaga(tx, saga, { key, data, now: clock.now() }));
  };
  return { clock, worker, sagas, begin };
}
