// Fence against a second writer of one ledger: an older copy of its database, restored elsewhere. Database and object
// store hold the same number, which grows while servers run; a database with a lower number than the store is a copy,
// and publishes nothing, as does one with fewer published entries than the store. Servers that share the database share
// the number. Of competing writers one replaces the record (writer-claims.ts).
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Clock, toIso } from '../../../platform/clock.ts';
import type { Db, Tables } from '../../../platform/db/tables.ts';
import { InstallationError } from '../../../platform/installation.ts';
import { findJson } from '../../../platform/objects/find-json.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import { fenceLog, getLog, incrementBeat } from './queries.ts';
import { LedgerDamaged, toObjectKey } from './tile-store.ts';
import { claimRecordOf, deleteClaims } from './writer-claims.ts';

const writerPath = 'writer';
const largestRecord = 8192;
/** A server renews every half minute; without renewal for this long it counts as stopped. */
const aliveMs = 3 * 60_000;
/** Each loses to a server that has replaced the record meanwhile. */
const mostAttempts = 5;

const writerRecord = z.strictObject({
  format: z.literal('recordproof-writer'),
  formatVersion: z.literal(1),
  beat: z.int().nonnegative(),
  nonce: z.uuid(),
  /** For messages. */
  database: z.string().max(4000),
  /** Distinguishes the database from a copy of it. */
  identity: z.string().max(4000),
  renewedAt: z.iso.datetime(),
  /** The server that wrote the record has stopped. */
  isReleased: z.boolean(),
});
export type WriterRecord = z.infer<typeof writerRecord>;

/** The writer state in a database; columns of an older schema are missing. */
export type WriterState = Partial<Pick<Tables['ledger_log'], 'writer_beat' | 'writer_nonce'>>;

/** Returns null if there is none, or if it cannot be parsed. */
export const findWriter = (objects: Pick<ObjectStore, 'get'>): Promise<WriterRecord | null> =>
  findJson(objects, toObjectKey(writerPath), { schema: writerRecord, maxBytes: largestRecord });

/** The record must be read before the state: both only grow. */
function isBehind(record: WriterRecord, { writer_beat: beat = 0, writer_nonce: nonce }: WriterState): boolean {
  return record.beat > Number(beat) || (record.beat === Number(beat) && record.nonce !== nonce);
}

const isInUse = ({ isReleased, renewedAt }: WriterRecord, now: number): boolean =>
  !isReleased && Math.abs(now - Date.parse(renewedAt)) < aliveMs;

type Claim = {
  readonly record: WriterRecord;
  readonly state: WriterState;
  /** The store holds a newer checkpoint than the database. */
  readonly isAhead: boolean;
  readonly identity: string;
  readonly now: number;
  /** Whether it would change the database: a server, or a command that writes. */
  readonly isWriter: boolean;
};

/** Why another database counts as the writer of this ledger; null if this one may write. */
export function findRival({ record, state, isAhead, identity, now, isWriter }: Claim): string | null {
  const isOlder = isAhead || isBehind(record, state);
  const isHere = record.identity === identity;
  const isAlive = isInUse(record, now);
  const last = `the ledger in the object store was last written at ${record.renewedAt} from the database ${record.database}`;
  if (isOlder && (isAlive || !isHere))
    return `${last}, and this database is an older copy: ${isAlive ? 'that server is running' : 'its newest entries may be missing here'}.`;
  if (isWriter && isAlive && !isHere) return `${last}, and that server seems to run.`;
  return null;
}

export const rivalRemedy =
  'Two databases must not continue one ledger: its history would fork. If the other database was lost and this one was restored in its place, start the server once with --take-over.';

const lossRemedy =
  'The server imports the lost ledger entries from the object store, some minutes after the last write of another server. If it does not, another server still writes to the former database: stop it; its log then says what is missing.';

export type FenceOptions = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly database: string;
  readonly identity: string;
  /** This database takes over the ledger from any other writer. */
  readonly isTakeOver?: boolean;
  /** Recovers from the object store what the database lost. */
  readonly recover: () => Promise<void>;
  /** Whether the store has a checkpoint of more entries than the database has published. */
  readonly isAhead: () => Promise<boolean>;
};

export class WriterFence {
  readonly #options: FenceOptions;
  #nonce: string | null = null;

  constructor(options: FenceOptions) {
    this.#options = options;
  }

  /**
   * Makes this database the writer of the ledger. Returns whether it already was. Throws InstallationError if another
   * one claims it concurrently.
   */
  async claim(): Promise<boolean> {
    const { objects, identity, isTakeOver = false } = this.#options;
    for (let left = mostAttempts; left > 0; left -= 1) {
      const record = await findWriter(objects);
      if (record !== null && !isTakeOver) await this.#refuseRival(record);
      if (await this.#replace(record)) return record?.identity === identity;
    }
    throw new InstallationError(`another database is starting to write this ledger. ${rivalRemedy}`);
  }

  async #refuseRival(record: WriterRecord): Promise<void> {
    const { db, clock, identity } = this.#options;
    const state = await getLog(db);
    const rival = findRival({ record, state, isAhead: false, identity, now: clock.now(), isWriter: true });
    if (rival !== null && record.identity !== identity) throw new InstallationError(`${rival} ${rivalRemedy}`);
  }

  /**
   * Renews the record, which shows other copies of the database that this one is in use. Throws LedgerDamaged if
   * another one has taken over. A database that lost commits, as in a failover, recovers them once no server writes any
   * more.
   */
  async renew(): Promise<void> {
    const { db, objects, clock, identity, recover } = this.#options;
    for (let left = mostAttempts; left > 0; left -= 1) {
      const record = await findWriter(objects);
      if (record !== null && (await this.#isNewer(record))) {
        await fenceLog(db, clock.now());
        if (record.identity !== identity || isInUse(record, clock.now())) throw new LedgerDamaged(this.#tell(record));
        await recover();
      }
      if (await this.#replace(record)) return;
    }
    throw new LedgerDamaged(`another database is starting to write this ledger. ${rivalRemedy}`);
  }

  /** Throws LedgerDamaged if another database has taken over; from then on nothing is appended. */
  async assertCurrent(): Promise<void> {
    const newer = await this.#findNewer();
    if (newer === null) return;
    await fenceLog(this.#options.db, this.#options.clock.now());
    throw new LedgerDamaged(this.#tell(newer));
  }

  /** Why nothing is recorded here, and what to do; null if this database is the newest. */
  async findProblem(): Promise<string | null> {
    const newer = await this.#findNewer();
    return newer && this.#tell(newer);
  }

  async #findNewer(): Promise<WriterRecord | null> {
    const record = await findWriter(this.#options.objects);
    return record !== null && (await this.#isNewer(record)) ? record : null;
  }

  /** Also if only commits since the last renewal were lost: then a published checkpoint shows it. */
  async #isNewer(record: WriterRecord): Promise<boolean> {
    return isBehind(record, await getLog(this.#options.db)) || (await this.#options.isAhead());
  }

  #tell(newer: WriterRecord): string {
    return newer.identity === this.#options.identity
      ? `this database has lost commits since ${newer.renewedAt}, as after a failover to a standby that was behind, and nothing is recorded. ${lossRemedy}`
      : `the database ${newer.database} has taken over this ledger at ${newer.renewedAt}; stop the servers of this database. ${rivalRemedy}`;
  }

  /** Lets a copy elsewhere start without waiting. Another running server renews within half a minute. */
  async release(): Promise<void> {
    const record = await findWriter(this.#options.objects);
    if (record?.nonce === this.#nonce && record !== null)
      await this.#swap(record, async () => ({ ...record, isReleased: true }));
  }

  /** Returns false, with the database unchanged, if another server replaces the record that was read. */
  #replace(record: WriterRecord | null): Promise<boolean> {
    const { db, clock, database, identity } = this.#options;
    const nonce = randomUUID();
    return this.#swap(record, async () => {
      const beat = await incrementBeat(db, record?.beat ?? 0, nonce);
      this.#nonce = nonce;
      const renewedAt = toIso(clock.now());
      const format = { format: 'recordproof-writer', formatVersion: 1 } as const;
      return { ...format, beat, nonce, database, identity, renewedAt, isReleased: false };
    });
  }

  async #swap(read: WriterRecord | null, toNext: () => Promise<WriterRecord>): Promise<boolean> {
    const { objects } = this.#options;
    const claims = await claimRecordOf(read?.nonce ?? null, this.#options);
    if (claims === null) return false;
    // An earlier writer deletes its claim after replacing the record: then this attempt is too late.
    const isCurrent = (await findWriter(objects))?.nonce === read?.nonce;
    if (isCurrent) await this.#write(await toNext());
    await deleteClaims(claims, objects);
    return isCurrent;
  }

  async #write(record: WriterRecord): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(record, null, 2)}\n`);
    await this.#options.objects.put(toObjectKey(writerPath), [bytes], { size: bytes.length });
  }
}
