// Writes refused acts into the audit log, in a transaction of their own: that of the act was rolled back. The same by the same
// account within a minute is counted in the row of the first (`repeated`), so that rows are bounded by accounts and kinds
// of acts; calls that come while one is written share the next transaction.
import type { Call, Party } from '../../platform/call.ts';
import { type LastWords, leaveForTheEnd } from '../../platform/db/last-words.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Platform } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { type AuditEntry, appendAudits } from './append-audit.ts';
import { findAuditHead } from './audit-head.ts';
import { addRepetitions, insertWindow, setRepeated, takeClosedWindows } from './refusal-queries.ts';
import { appendSeals } from './seals.ts';

export type Refusal = {
  readonly call: Call<Party>;
  readonly entry: AuditEntry & { readonly errorMessage: string };
  /** What is the same refusal again, within the tenant. */
  readonly subject: string;
};

type Batch = { times: number; readonly written: Promise<void> };

const mostTries = 5;

export class RefusalLog {
  readonly #server: Pick<Platform, 'database' | 'clock' | 'log'>;
  /** One batch a key is written at a time, and at most one more gathers behind it. */
  readonly #writing = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Batch>();

  constructor(server: Pick<Platform, 'database' | 'clock' | 'log'>) {
    this.#server = server;
  }

  /** Resolves when the row is durable. What cannot be written is an error of the log of the server, not of the caller. */
  record(refusal: Refusal): Promise<void> {
    const key = `${refusal.call.actor.tenantId} ${refusal.subject}`;
    const next = this.#next.get(key);
    if (next !== undefined) {
      next.times += 1;
      return next.written;
    }
    const before = this.#writing.get(key) ?? Promise.resolve();
    const batch: Batch = { times: 1, written: before.then(() => this.#begin(key, refusal)) };
    this.#next.set(key, batch);
    return batch.written;
  }

  async #begin(key: string, refusal: Refusal): Promise<void> {
    const times = this.#next.get(key)?.times ?? 1;
    this.#next.delete(key);
    const written = this.#write(refusal, times).catch(error => {
      this.#server.log.error({ error: toErrorText(error) }, 'a refusal could not be written to the audit log');
    });
    this.#writing.set(key, written);
    await written;
    if (this.#writing.get(key) === written) this.#writing.delete(key);
  }

  async #write(refusal: Refusal, times: number): Promise<void> {
    const { database, clock } = this.#server;
    for (let tries = 1; ; tries += 1) {
      try {
        return await database.db.transaction().execute(tx => note(tx, refusal, times, clock.now()));
      } catch (error) {
        if (!(error instanceof RivalWindow) || tries >= mostTries) throw error;
      }
    }
  }
}

async function note(tx: Tx, { call, entry, subject }: Refusal, times: number, now: Time): Promise<void> {
  const { tenantId } = call.actor;
  if (await addRepetitions(tx, { tenantId, subject }, times, now)) return;
  await appendSeals(tx, tenantId, await takeClosedWindows(tx, { tenantId, subject }, now), now);
  await appendAudits(tx, [{ call, entry }], now);
  await leaveForTheEnd(tx, windows, [{ tenantId, subject, repeated: times - 1, now }]);
}

/** Another server opened the minute first: this refusal is one of its repetitions. */
class RivalWindow extends Error {}

type Opening = { readonly tenantId: Key; readonly subject: string; readonly repeated: number; readonly now: Time };

/** Behind the rows of the transaction, which holds the head of the chain: the last of them is that of the refusal. */
const windows: LastWords<Opening> = {
  turn: 4,
  write: async (tx, _engine, openings) => {
    for (const { tenantId, subject, repeated, now } of openings) {
      const { position } = await findAuditHead(tx, tenantId);
      if (!(await insertWindow(tx, { tenantId, subject, position }, repeated, now))) throw new RivalWindow();
      if (repeated > 0) await setRepeated(tx, tenantId, position, repeated);
    }
  },
};
