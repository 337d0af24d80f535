// A server whose ledger one witness cosigns, with the policy of a reader who trusts both.
import { join } from 'node:path';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { exportEvidence } from '@recordproof/shared/api/vouchers.ts';
import { type Person, startApp } from './app.ts';
import { dropDatabaseOf } from './app-database.ts';
import { laptop } from './real-proofs.ts';
import { makeLedgerFolder, openRealClock, startWitness } from './witnesses.ts';

export async function startWitnessedApp() {
  await using stack = new AsyncDisposableStack();
  const ledger = stack.use(await makeLedgerFolder('ledger.example/log'));
  const plan = { name: 'one.example', logKey: ledger.logKey, folder: join(ledger.folder, 'witness') };
  const witness = stack.use(await startWitness(plan));
  stack.defer(() => dropDatabaseOf(ledger.folder));
  const env = { ...laptop, ...ledger.env, RECORDPROOF_LEDGER_WITNESSES: witness.setting };
  const app = stack.use(await startApp({ clock: openRealClock(), folder: ledger.folder, env }));
  const [, key = ''] = witness.setting.split(' ');
  const isVouched = async (person: Person, id: string): Promise<boolean> => {
    try {
      await person.client.open(exportEvidence, { params: { id }, query: { vouched: 'true' } });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'CONFLICT') return false;
      throw error;
    }
  };
  const parts = stack.move();
  return {
    ...{ app, witness, witnessKey: key },
    policy: `log ${ledger.logKey}\nwitness one ${key}\nquorum one\n`,
    /** Waits until the witness has cosigned the proofs of all files of this account. */
    async vouch(person: Person): Promise<void> {
      const { records } = await person.call(listFiles, { query: { size: 100 } });
      for (const { id } of records)
        do await app.drain();
        while (!(await isVouched(person, id)));
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
