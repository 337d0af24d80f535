// Fence against a second writer of one ledger: an older copy of its database, restored elsewhere. Database and object store
// hold the same number, which grows while servers run; a database whose number is behind that of the store is a copy, and
// publishes nothing. Servers that share the database share the number.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Clock, toIso } from '../../../platform/clock.ts';
import type { Db, Tables } from '../../../platform/db/tables.ts';
import { findJson } from '../../../platform/objects/find-json.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { fenceLog, getLog, raiseBeat } from './queries.ts';
import { LedgerDamaged, toObjectKey } from './tile-store.ts';

const writerPath = 'writer';
const largestRecord = 8192;
/** A server renews every half minute; one that has not for this long has stopped. */
const aliveMs = 3 * 60_000;

const writerRecord = z.strictObject({
  format: z.literal('recordproof-writer'),
  formatVersion: z.literal(1),
  beat: z.int().nonnegative(),
  nonce: z.uuid(),
  /** For messages. */
  database: z.string().max(4000),
  /** Tells the database from a copy of it. */
  identity: z.string().max(4000),
  renewedAt: z.iso.datetime(),
  /** The server that wrote this has stopped. */
  isReleased: z.boolean(),
});
export type WriterRecord = z.infer<typeof writerRecord>;

/** What a database tells of itself; columns of an older schema are missing. */
export type WriterState = Partial<Pick<Tables['ledger_log'], 'writer_beat' | 'writer_nonce'>>;

/** Null where there is none, or where it cannot be read as one. */
export const findWriter = (objects: Pick<ObjectStore, 'get'>): Promise<WriterRecord | null> =>
  findJson(objects, toObjectKey(writerPath), { schema: writerRecord, maxBytes: largestRecord });

/** The record must have been read before the state: both only grow. */
function isBehind(record: WriterRecord, { writer_beat: beat = 0, writer_nonce: nonce }: WriterState): boolean {
  return record.beat > Number(beat) || (record.beat === Number(beat) && record.nonce !== nonce);
}

type Claim = {
  readonly record: WriterRecord;
  readonly state: WriterState;
  /** The store holds a newer checkpoint than the database. */
  readonly isAhead: boolean;
  readonly identity: string;
  readonly now: number;
  /** Whether it would publish; a command beside a running server does not. */
  readonly isServer: boolean;
};

/** Why another database is taken for the one that writes this ledger; null where this one may. */
export function findRival({ record, state, isAhead, identity, now, isServer }: Claim): string | null {
  const isOlder = isAhead || isBehind(record, state);
  const isHere = record.identity === identity;
  const isAlive = !record.isReleased && Math.abs(now - Date.parse(record.renewedAt)) < aliveMs;
  const last = `the ledger in the object store was last written at ${record.renewedAt} from the database ${record.database}`;
  if (isOlder && (isAlive || !isHere))
    return `${last}, and this database is an older copy: ${isAlive ? 'that server is running' : 'its newest entries may be missing here'}.`;
  if (isServer && isAlive && !isHere) return `${last}, and that server seems to run.`;
  return null;
}

export const rivalRemedy =
  'Two servers that continue one ledger write two histories. If that database is gone for good, and this one was restored in its place, start the server once with --take-over.';

export type FenceOptions = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly database: string;
  readonly identity: string;
};

export class WriterFence {
  readonly #options: FenceOptions;
  #nonce: string | null = null;

  constructor(options: FenceOptions) {
    this.#options = options;
  }

  /** From now on this database writes the ledger, whichever did before. */
  async claim(): Promise<void> {
    const record = await findWriter(this.#options.objects);
    await this.#renew(record?.beat ?? 0);
  }

  /** Tells other copies of the database that this one is in use. Throws LedgerDamaged where another one has taken over. */
  async renew(): Promise<void> {
    await this.assertCurrent();
    await this.#renew(0);
  }

  /** Throws LedgerDamaged where another database has taken over; nothing is appended here from then on. */
  async assertCurrent(): Promise<void> {
    const { db, objects, clock } = this.#options;
    const record = await findWriter(objects);
    if (record === null || !isBehind(record, await getLog(db))) return;
    await fenceLog(db, clock.now());
    throw new LedgerDamaged(
      `the database ${record.database} has taken over this ledger at ${record.renewedAt}; stop the servers of this database. ${rivalRemedy}`,
    );
  }

  /** So that a copy elsewhere need not wait. Another server that goes on renews within half a minute. */
  async release(): Promise<void> {
    const record = await findWriter(this.#options.objects);
    if (record !== null && record.nonce === this.#nonce) await this.#write({ ...record, isReleased: true });
  }

  async #renew(atLeast: number): Promise<void> {
    const { db, clock, database, identity } = this.#options;
    const nonce = randomUUID();
    const beat = await raiseBeat(db, atLeast, nonce);
    const renewedAt = toIso(clock.now());
    const format = { format: 'recordproof-writer', formatVersion: 1 } as const;
    await this.#write({ ...format, beat, nonce, database, identity, renewedAt, isReleased: false });
    this.#nonce = nonce;
  }

  async #write(record: WriterRecord): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(record, null, 2)}\n`);
    await this.#options.objects.put(toObjectKey(writerPath), [bytes], { size: bytes.length });
  }
}
