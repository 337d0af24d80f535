// Sagas resumed after kill -9 before or after a step, forwards and in compensation.
import { getSagaState } from '@recordproof/server/platform/saga/queries.ts';
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';
import { eachDatabase } from '../support/databases.ts';
import { listEffects } from '../support/effects.ts';
import { sagaTestMigrations as migrations, openServer } from '../support/saga-server.ts';
import { transferSaga } from '../support/transfer-saga.ts';

eachDatabase((engine, open) => {
  const forwards = ['take', 'carry', 'give'];
  for (const [step, crashPoint] of forwards.flatMap(name => [[name, 'before'] as const, [name, 'after'] as const])) {
    test(`killed with -9 ${crashPoint} the effect of "${step}", a saga resumes at its step`, async () => {
      const { db, address } = await open(migrations);
      const child = startChild('saga.ts', { address, step, moment: crashPoint, refuse: false });
      expect(await child.ended).toBe('SIGKILL');
      const { worker, clock } = openServer(db, engine, transferSaga(db));
      clock.advance(Date.now() - clock.now() + 60_000);
      await worker.drain();
      expect(await listEffects(db)).toEqual(forwards);
      expect((await getSagaState(db, 1)).status).toBe('COMPLETED');
    });
  }

  for (const [step, crashPoint] of [
    ['undo give', 'after'],
    ['undo carry', 'before'],
    ['undo take', 'after'],
  ] as const) {
    test(`killed with -9 ${crashPoint} "${step}", a saga resumes its compensation`, async () => {
      const { db, address } = await open(migrations);
      const child = startChild('saga.ts', { address, step, moment: crashPoint, refuse: true });
      expect(await child.ended).toBe('SIGKILL');
      const { worker, clock } = openServer(db, engine, transferSaga(db));
      clock.advance(Date.now() - clock.now() + 60_000);
      await worker.drain();
      expect(await listEffects(db)).toEqual([...forwards, 'undo give', 'undo carry', 'undo take']);
      expect((await getSagaState(db, 1)).status).toBe('ABORTED');
    });
  }
});
