// Driver of one saga, as far as possible within one run of its job, which provides the lease, the fence, the signal and
// the restart after a crash.
import type { Clock } from '../clock.ts';
import { LeaseLost } from '../db/claim.ts';
import type { Db } from '../db/tables.ts';
import { exponentialBackoff, JobReschedule, type JobRun, maxDeaths } from '../jobs/jobs.ts';
import { toErrorText } from '../telemetry/error-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { SagaStatus } from './migrations.ts';
import { findSagaRow, type SagaChange, type SagaRow, updateSaga } from './queries.ts';
import { type Saga, SagaAbort, type SagaData, type SagaRun, type SagaStep, toDataText } from './saga.ts';

type DriveContext = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once for each saga that ends here. */
  readonly ended: (status: SagaStatus, seconds: number) => void;
};

const defaultAttempts = 5;
const defaultBackoff = exponentialBackoff(1, 300);

/** Throws JobReschedule if a step must wait; returns at the end of the saga. */
export async function driveSaga(context: DriveContext, saga: Saga, job: JobRun, row: SagaRow): Promise<void> {
  const drive = new SagaExecution(context, saga, job, row);
  while (drive.step) await drive.runStep(drive.step);
}

class SagaExecution {
  readonly #context: DriveContext;
  readonly #saga: Saga;
  readonly #job: JobRun;
  #row: SagaRow;
  #data: SagaData;
  #saved = false;

  constructor(context: DriveContext, saga: Saga, job: JobRun, row: SagaRow) {
    this.#context = context;
    this.#saga = saga;
    this.#job = job;
    this.#row = row;
    this.#data = JSON.parse(row.data) as SagaData;
  }

  /** The step to run or undo next; undefined at the end. */
  get step(): SagaStep<SagaData> | undefined {
    const { step: name, kind } = this.#row;
    if (name === null) return undefined;
    const step = this.#saga.steps.find(known => known.name === name);
    if (!step) throw new Error(`the saga "${kind}" has no step "${name}" in this version of the server`);
    return step;
  }

  async runStep(step: SagaStep<SagaData>): Promise<void> {
    this.#job.signal.throwIfAborted();
    const forwards = this.#row.status === 'RUNNING';
    let data: string;
    try {
      if (forwards && this.#job.attempt > maxDeaths)
        throw new Error(
          `saga ${this.#row.id} (${this.#row.kind}): the server crashed each time step "${step.name}" ran`,
        );
      const patch = await (forwards ? step.run(this.#run()) : step.compensate?.(this.#run()));
      data = toDataText({ ...(await this.#currentData()), ...patch });
    } catch (error) {
      return this.#failed(step, error);
    }
    await this.#advance(data);
  }

  /** Includes what the step has saved itself, if that was committed. */
  async #currentData(): Promise<SagaData> {
    if (!this.#saved) return this.#data;
    const row = await findSagaRow(this.#context.db, this.#row.id);
    return row ? (JSON.parse(row.data) as SagaData) : this.#data;
  }

  #run(): SagaRun<SagaData> {
    const { id } = this.#row;
    const { fence, signal } = this.#job;
    return {
      id,
      data: this.#data,
      signal,
      assertFence: tx => this.#job.assertFence(tx),
      save: async (tx, patch) => {
        await this.#job.assertFence(tx);
        const row = await findSagaRow(tx, id);
        const data = { ...(row ? (JSON.parse(row.data) as SagaData) : this.#data), ...patch };
        this.#saved = true;
        if (!(await updateSaga(tx, id, fence, { data: toDataText(data) }))) throw taken(id);
      },
    };
  }

  async #advance(data: string): Promise<void> {
    this.#data = JSON.parse(data) as SagaData;
    this.#saved = false;
    const index = this.#saga.steps.findIndex(({ name }) => name === this.#row.step);
    const next = this.#saga.steps[this.#row.status === 'RUNNING' ? index + 1 : index - 1];
    const common = { data, attempt: 0 };
    if (next) return this.#write({ ...common, step: next.name });
    const status = this.#row.status === 'RUNNING' ? 'COMPLETED' : (this.#row.ends_as ?? 'FAILED');
    const now = this.#context.clock.now();
    await this.#write({ ...common, step: null, status, ended_at: now });
    this.#context.ended(status, Math.max(0, now - this.#row.created_at) / 1000);
  }

  async #failed(step: SagaStep<SagaData>, error: unknown): Promise<void> {
    if (error instanceof LeaseLost || error instanceof JobReschedule || this.#job.signal.aborted) throw error;
    this.#data = await this.#currentData(); // compensation needs what the step saved before it failed
    this.#saved = false;
    const { id, kind, status } = this.#row;
    const attempt = this.#row.attempt + 1;
    const lastError = toErrorText(error);
    const about = { saga: id, kind, step: step.name, attempt, error: lastError };
    const aborted = error instanceof SagaAbort;
    const isOver = aborted || attempt >= (this.#saga.maxAttempts ?? defaultAttempts) || this.#job.attempt > maxDeaths;
    if (status === 'RUNNING' && isOver) {
      this.#context.log.warn(about, 'compensating a saga');
      const endsAs = aborted ? 'ABORTED' : 'FAILED';
      return this.#write({ status: 'COMPENSATING', attempt: 0, ends_as: endsAs, last_error: lastError });
    }
    this.#context.log.warn(about, status === 'RUNNING' ? 'a saga step failed' : 'failed to compensate a saga step');
    // The error that made the saga fail is kept, even if its compensation fails too.
    await this.#write(status === 'RUNNING' ? { attempt, last_error: lastError } : { attempt });
    throw new JobReschedule((this.#saga.backoffSeconds ?? defaultBackoff)(attempt), { cause: error });
  }

  async #write(change: SagaChange): Promise<void> {
    if (!(await updateSaga(this.#context.db, this.#row.id, this.#job.fence, change))) throw taken(this.#row.id);
    this.#row = { ...this.#row, ...change };
  }
}

const taken = (id: number): LeaseLost => new LeaseLost(`saga ${id} was taken over`);

export const findOpenSaga = async (db: Db, id: number): Promise<SagaRow | undefined> => {
  const row = await findSagaRow(db, id);
  return row?.ended_at === null ? row : undefined;
};
