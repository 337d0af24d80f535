// Writing rejected operations into the audit log, in a separate transaction, because that of the operation was rolled
// back. Repetitions by the same account within a minute are counted in the row of the first (`repeated`), so that rows
// are bounded by accounts and kinds of operations; concurrent calls share the next transaction (group commit).
import type { Call, Party } from '../../platform/call.ts';
import { type DeferredWrites, deferToCommit } from '../../platform/db/deferred-writes.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { RejectedAct } from '../../platform/http/http-context.ts';
import type { Platform } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { type AuditEntry, appendAudits } from './append-audit.ts';
import { findAuditHead } from './chain-ends.ts';
import { addRepetitions, insertWindow, setRepeated, takeClosedWindows } from './rejection-queries.ts';
import { appendSeals } from './seals.ts';

export type Rejection = {
  readonly call: Call<Party>;
  readonly entry: AuditEntry & { readonly errorMessage: string };
  /** Identifies repetitions of the same rejection within the tenant. */
  readonly subject: string;
};

type Batch = { times: number; readonly written: Promise<void> };

const mostTries = 5;

export class RejectionLog {
  readonly #server: Pick<Platform, 'database' | 'clock' | 'log'>;
  /** One batch per key is written at a time; at most one more collects calls behind it. */
  readonly #writing = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Batch>();

  constructor(server: Pick<Platform, 'database' | 'clock' | 'log'>) {
    this.#server = server;
  }

  /** Resolves when the row is durable. A failed write goes to the server's error log, not to the caller. */
  record(rejection: Rejection): Promise<void> {
    const key = `${rejection.call.actor.tenantId} ${rejection.subject}`;
    const next = this.#next.get(key);
    if (next !== undefined) {
      next.times += 1;
      return next.written;
    }
    const before = this.#writing.get(key) ?? Promise.resolve();
    const batch: Batch = { times: 1, written: before.then(() => this.#begin(key, rejection)) };
    this.#next.set(key, batch);
    return batch.written;
  }

  async #begin(key: string, rejection: Rejection): Promise<void> {
    const times = this.#next.get(key)?.times ?? 1;
    this.#next.delete(key);
    const written = this.#write(rejection, times).catch(error => {
      this.#server.log.error({ error: toErrorText(error) }, 'failed to audit a rejection');
    });
    this.#writing.set(key, written);
    await written;
    if (this.#writing.get(key) === written) this.#writing.delete(key);
  }

  async #write(rejection: Rejection, times: number): Promise<void> {
    const { database, clock } = this.#server;
    for (let tries = 1; ; tries += 1) {
      try {
        return await database.db.transaction().execute(tx => note(tx, rejection, times, clock.now()));
      } catch (error) {
        if (!(error instanceof RivalWindow) || tries >= mostTries) throw error;
      }
    }
  }
}

async function note(tx: Tx, { call, entry, subject }: Rejection, times: number, now: Time): Promise<void> {
  const { tenantId } = call.actor;
  if (await addRepetitions(tx, { tenantId, subject }, times, now)) return;
  await appendSeals(tx, tenantId, await takeClosedWindows(tx, { tenantId, subject }, now), now);
  await appendAudits(tx, [{ call, entry }], now);
  await deferToCommit(tx, windows, [{ tenantId, subject, repeated: times - 1, now }]);
}

/** Another server opened the minute first: this rejection is one of its repetitions. */
class RivalWindow extends Error {}

type Opening = { readonly tenantId: Key; readonly subject: string; readonly repeated: number; readonly now: Time };

/** Runs after the rows of the transaction, which holds the chain head: the last of them is that of the rejection. */
const windows: DeferredWrites<Opening> = {
  order: 4,
  write: async (tx, _engine, openings) => {
    for (const { tenantId, subject, repeated, now } of openings) {
      const { position } = await findAuditHead(tx, tenantId);
      if (!(await insertWindow(tx, { tenantId, subject, position }, repeated, now))) throw new RivalWindow();
      if (repeated > 0) await setRepeated(tx, tenantId, position, repeated);
    }
  },
};

const maxMessageCharacters = 500;

/**
 * A rejected operation of an account. Identified by endpoint and kind, so that ids and messages chosen by a client do
 * not create rows.
 */
export const toRejection = ({ call, endpoint, error, ids }: RejectedAct): Rejection => ({
  call,
  entry: {
    module: endpoint.feature,
    operation: endpoint.name,
    description: `rejected: ${endpoint.summary}`,
    param: { ...ids, code: error.code },
    errorMessage: error.message.slice(0, maxMessageCharacters),
  },
  subject: `act:${call.actor.userId}:${endpoint.name}:${error.code}`,
});
