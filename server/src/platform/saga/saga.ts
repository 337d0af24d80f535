// Sagas: work in several steps that cannot be one transaction. A row stores the next step and the results so far. A
// crash repeats at most the current step; a failure undoes the steps in reverse.
import { selectWhere } from '../db/rows.ts';
import type { Key, Time, Tx } from '../db/tables.ts';
import { enqueue } from '../jobs/jobs.ts';
import type { SagaStatus } from './migrations.ts';

export type SagaData = Readonly<Record<string, unknown>>;

/** The arguments of a step. */
export type SagaRun<Data extends SagaData> = {
  readonly id: Key;
  readonly data: Data;
  readonly signal: AbortSignal;
  /** First statement of a transaction that a run without its lease must not commit. */
  assertFence(tx: Tx): Promise<void>;
  /**
   * Adds to the data in the transaction of the step's own writes, under the fence: if it is there after a crash, they
   * are done.
   */
  save(tx: Tx, patch: Partial<Data>): Promise<void>;
};

export type SagaStep<Data extends SagaData> = {
  /** Unique within the saga; never renamed while one may be running. */
  readonly name: string;
  /** May be repeated after any crash. Its result is added to the data before the next step begins. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a step without a result ends without a return
  run(run: SagaRun<Data>): Promise<Partial<Data> | void>;
  /** Undoes the step, which may have run in whole, in part or not at all; may be repeated. */
  // biome-ignore lint/suspicious/noConfusingVoidType: as above
  compensate?(run: SagaRun<Data>): Promise<Partial<Data> | void>;
};

export type Saga<Data extends SagaData = SagaData> = {
  readonly kind: string;
  readonly steps: readonly SagaStep<Data>[];
  /** Failures of one step before everything is undone; default 5. Compensation is retried without limit. */
  readonly maxAttempts?: number;
  /** The pause after a failure; default 1, 2, 4 … 300 seconds. */
  backoffSeconds?(attempt: number): number;
};

/** The saga cannot succeed: everything is undone at once. The message is kept for people. */
export class SagaAbort extends Error {}

/** The state of a saga. `data` is the result of the last step. */
export type SagaState = {
  readonly id: Key;
  readonly status: SagaStatus;
  /** The step to run or undo next; null at the end. */
  readonly step: string | null;
  readonly data: SagaData;
  readonly lastError: string | null;
};

export const sagaJobKind = 'saga';
export const sagaJobKey = (id: Key): string => `saga:${id}`;

const maxDataBytes = 256 * 1024;

export function toDataText(data: SagaData): string {
  const text = JSON.stringify(data);
  if (Buffer.byteLength(text) > maxDataBytes) throw new RangeError('the data of a saga is larger than 256 KiB');
  return text;
}

export function defineSaga<Data extends SagaData>(saga: Saga<Data>): Saga<Data> {
  const names = new Set(saga.steps.map(step => step.name));
  if (names.size !== saga.steps.length) throw new Error(`two steps of the saga "${saga.kind}" have one name`);
  if (names.size === 0) throw new Error(`the saga "${saga.kind}" has no steps`);
  return saga;
}

/**
 * Creates the saga in the caller's transaction; it starts after the commit. Kind and key identify a saga for good: a
 * second call finds the first one, even a failed one. Use another key to try again.
 */
export async function startSaga<Data extends SagaData>(
  tx: Tx,
  saga: Saga<Data>,
  { key, data, now }: { readonly key: string; readonly data: Data; readonly now: Time },
): Promise<{ readonly id: Key; readonly started: boolean }> {
  const inserted = await tx
    .insertInto('saga')
    .values({
      kind: saga.kind,
      key,
      status: 'RUNNING',
      step: saga.steps[0]?.name ?? null,
      data: toDataText(data),
      attempt: 0,
      ends_as: null,
      last_error: null,
      fence: 0,
      created_at: now,
      ended_at: null,
    })
    .onConflict(conflict => conflict.columns(['kind', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) {
    await enqueue(tx, { kind: sagaJobKind, payload: { saga: inserted.id }, uniqueKey: sagaJobKey(inserted.id) }, now);
    return { id: inserted.id, started: true };
  }
  const { id } = await selectWhere(tx, 'saga', { kind: saga.kind, key }).select('id').executeTakeFirstOrThrow();
  return { id, started: false };
}
