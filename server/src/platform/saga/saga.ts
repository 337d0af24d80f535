// Work in several steps that no one transaction can hold: one row says which step is next, and what the steps before
// have found out. A crash repeats at most the step it hit; a failure undoes the steps in reverse.
import type { Key, Time, Tx } from '../db/tables.ts';
import { enqueue } from '../jobs/jobs.ts';
import type { SagaStatus } from './migrations.ts';

export type SagaData = Readonly<Record<string, unknown>>;

/** What a step is given. */
export type SagaRun<Data extends SagaData> = {
  readonly id: Key;
  readonly key: string;
  readonly data: Data;
  /** 1 for the first time. */
  readonly attempt: number;
  /** Greater than that of every earlier run of this saga. */
  readonly fence: number;
  readonly signal: AbortSignal;
  /** Before something long or external; throws `LeaseLost` when another server has taken over. Not within a transaction. */
  keepLease(): Promise<void>;
  /** The first statement of a transaction that must not be written by a run that has lost its lease. */
  assertFence(tx: Tx): Promise<void>;
  /** Adds to the data together with the step's own writes, under the fence: what is found there is done. */
  save(tx: Tx, patch: Partial<Data>): Promise<void>;
};

export type SagaStep<Data extends SagaData> = {
  /** Unique within the saga; never renamed while one may be running. */
  readonly name: string;
  /** May be called again after any crash. What it returns is added to the data before the next step begins. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a step without a result ends without a return
  run(run: SagaRun<Data>): Promise<Partial<Data> | void>;
  /** Undoes what the step did, in whole, in part or not at all; may be called again. */
  // biome-ignore lint/suspicious/noConfusingVoidType: as above
  compensate?(run: SagaRun<Data>): Promise<Partial<Data> | void>;
};

export type Saga<Data extends SagaData = SagaData> = {
  readonly kind: string;
  readonly steps: readonly SagaStep<Data>[];
  /** Failures of one step before everything is undone; 5 when left out. Undoing is tried without end. */
  readonly maxAttempts?: number;
  /** The pause after the given failure; 1, 2, 4 … 300 seconds when left out. */
  backoffSeconds?(attempt: number): number;
};

/** The saga can never succeed: everything is undone at once. The message is kept for people. */
export class SagaAbort extends Error {}

/** What is known of one saga. `data` is as the last step left it. */
export type SagaState = {
  readonly id: Key;
  readonly status: SagaStatus;
  /** The step to run, or to undo, next; null at the end. */
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
 * Writes the saga with the caller's transaction; it begins after the commit. One kind and key are one saga, whatever
 * became of it: asked again, it is found and nothing begins. To try again after a failure use another key.
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
  const { id } = await tx
    .selectFrom('saga')
    .select('id')
    .where('kind', '=', saga.kind)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return { id, started: false };
}
