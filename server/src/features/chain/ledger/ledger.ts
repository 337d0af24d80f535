// The embedded ledger: appends, publishes, and serves its public data. Rejects a database that holds another log, or
// another history of this log than was published (docs/spec/ledger.md).
import type { KeyObject } from 'node:crypto';
import { type ChainIdentity, ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import type { NewLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { type NoteKey, toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/tables.ts';
import { StartError } from '../../../platform/installation.ts';
import type { LogPort } from '../../../platform/log-port.ts';
import { type ObjectStore, ObjectStoreError } from '../../../platform/objects/object-store.ts';
import { findClockProblem, openAppender, recordWithin } from './append-entries.ts';
import { emptyEdge } from './ledger-edge.ts';
import { toNoteSigner, toPostQuantumSigner, toPublicBytes } from './ledger-key.ts';
import type { EntryRow } from './packed-entry.ts';
import { CheckpointPublisher, toCheckpointRow } from './publish-checkpoint.ts';
import { ensureFirstCheckpoint, ensureLog, getLog } from './queries.ts';
import { PublishedTiles } from './read-ledger.ts';
import { findSeenCheckpoint, recoverLedger } from './recover-ledger.ts';
import { type FenceOptions, WriterFence } from './writer-fence.ts';

/** Entries published in the background are batched for this long. */
const lingerMs = 200;

export type LedgerOptions = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly log: LogPort;
  readonly privateKey: KeyObject;
  /** The log's name in its checkpoints; fixed by the first start. */
  readonly name?: string | undefined;
  /** Whether checkpoints are also signed with ML-DSA-44. */
  readonly isPostQuantum?: boolean;
  /** The identity of the database that writes the ledger; without it a copy of the database is not fenced off. */
  readonly writer?: Pick<FenceOptions, 'database' | 'identity' | 'isTakeOver'> | undefined;
};

export type Ledger = AsyncDisposable & {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly key: NoteKey;
  /** The key that witnesses and monitors are configured with. */
  readonly verifierKey: string;
  /** The ML-DSA-44 key, if checkpoints are also signed with it. */
  readonly postQuantumKey: string | undefined;
  readonly identity: ChainIdentity;
  /** Its public data besides the newest checkpoint. */
  readonly tiles: PublishedTiles;

  /**
   * Resolves when committed; published soon after. One entry per kind and subject: an existing one is returned
   * unchanged. After a rejection the commit is uncertain: query or call again.
   */
  append(entry: NewLedgerEntry): Promise<EntryRow>;

  /**
   * Records with the caller's commit, where the entries are dated: throws ChainError REFUSED if different ones exist.
   * An entry that differs from an existing one only in its date is that entry. `recorded` gets the rows before the
   * commit, to write what refers to them. Published soon.
   */
  recordWithin(
    tx: Tx,
    entries: readonly NewLedgerEntry[],
    recorded?: (rows: readonly EntryRow[]) => Promise<void>,
  ): Promise<void>;

  publishSoon(): void;

  /** Resolves when everything committed before the call is covered by a signed checkpoint. */
  publish(): Promise<void>;

  /** As `publish`, unless the entry at this position is already covered by a signed checkpoint. */
  publishUpTo(position: number): Promise<void>;

  /** Renews the writer record, which shows copies of the database that this one is in use. */
  renewWriter(): Promise<void>;

  /** Why another database counts as the newer one, and what to do; null if this one is the newest. */
  findWriterProblem(): Promise<string | null>;

  /** Calls the listener after each publication by this server, outside any transaction. The listener must not throw. */
  onPublished(listener: () => void): void;
};

export async function openLedger(ports: LedgerOptions): Promise<Ledger> {
  const { db, objects, clock, privateKey } = ports;
  const publicKey = toPublicBytes(privateKey);
  const identity = ledgerIdentity(publicKey);
  const { origin } = await openLog(ports, publicKey, identity);
  const signer = toNoteSigner(origin, privateKey);
  const postQuantum = ports.isPostQuantum ? toPostQuantumSigner(origin, privateKey) : undefined;
  await ensureFirstCheckpoint(db, await toCheckpointRow({ signer, postQuantum, clock }, emptyEdge));
  const { log } = ports;
  const recover = (isWriter: boolean) => recoverLedger({ db, objects, key: signer, log, isWriter }, clock.now());
  const isAhead = async () => {
    const seen = await findSeenCheckpoint({ objects, key: signer }); // before the database: both only grow
    return seen !== null && seen !== 'DAMAGED' && seen.size > (await getLog(db)).published_size;
  };
  const fenceOptions = { db, objects, clock, recover: () => recover(true), isAhead };
  const fence = ports.writer && new WriterFence({ ...fenceOptions, ...ports.writer });
  const wasWriter = await fence?.claim().catch(error => logUnwritten(error, log)); // a full disk must not stop a start
  await recover(wasWriter === true);
  const problem = findClockProblem(clock.now(), (await getLog(db)).recorded_until);
  if (problem !== undefined) throw new StartError(problem);
  const writing = new LedgerWriter(
    ports,
    new CheckpointPublisher({ db, objects, clock, signer, postQuantum, log, fence }),
    fence,
  );
  writing.publishSoon();
  let published = 0; // what was once published stays so
  return {
    db,
    objects,
    key: { name: origin, publicKey },
    verifierKey: toVerifierKey(signer),
    postQuantumKey: postQuantum && toTypedKeyText(postQuantum),
    identity,
    tiles: new PublishedTiles({ db, objects, log }),
    append: entry => writing.append(entry),
    recordWithin: async (tx, entries, recorded) => {
      await recordWithin(tx, clock, entries, recorded);
      writing.publishSoon();
    },
    publishSoon: () => writing.publishSoon(),
    publish: () => writing.publish(),
    publishUpTo: async position => {
      if (position < published) return;
      published = (await getLog(db)).published_size;
      if (position < published) return;
      await writing.publish();
      published = Math.max(published, position + 1);
    },
    renewWriter: async () => fence?.renew().catch(error => logUnwritten(error, log)),
    findWriterProblem: async () => (await fence?.findProblem()) ?? null,
    onPublished: listener => writing.onPublished(listener),
    [Symbol.asyncDispose]: () => writing.close(),
  };
}

async function openLog({ db, name }: LedgerOptions, publicKey: Uint8Array, identity: ChainIdentity) {
  const log = await ensureLog(db, name ?? `recordproof-${identity.chainId}`, toHex(publicKey));
  if (log.public_key !== toHex(publicKey))
    throw new StartError('the ledger in this database was created with another key; restore the file ledger.key.');
  if (name !== undefined && name !== log.origin)
    throw new StartError(
      `the ledger in this database is called "${log.origin}", not "${name}", and keeps its name: correct chain.ledger-name.`,
    );
  return log;
}

/** Retried within half a minute; until then nothing can be published. */
function logUnwritten(error: unknown, log: LogPort): void {
  if (!(error instanceof ObjectStoreError)) throw error;
  log.warn({ err: error }, 'failed to store the writer record of the ledger in the object store');
}

/** One publication at a time; calls made while one runs share the next. */
class LedgerWriter {
  readonly #appender: ReturnType<typeof openAppender>;
  readonly #publisher: CheckpointPublisher;
  readonly #log: LogPort;
  readonly #fence: WriterFence | undefined;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  readonly #listeners: (() => void)[] = [];

  constructor({ db, clock, log }: LedgerOptions, publisher: CheckpointPublisher, fence: WriterFence | undefined) {
    this.#appender = openAppender(db, clock);
    this.#publisher = publisher;
    this.#fence = fence;
    this.#log = log;
  }

  async append(entry: NewLedgerEntry): Promise<EntryRow> {
    const row = await this.#appender.add(entry);
    this.publishSoon();
    return row;
  }

  publishSoon(): void {
    if (this.#timer !== null || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.publish().catch(error => this.#log.warn({ err: error }, 'failed to publish the ledger checkpoint'));
    }, lingerMs).unref();
  }

  publish(): Promise<void> {
    this.#next ??= this.#afterRunning();
    return this.#next;
  }

  async #afterRunning(): Promise<void> {
    await this.#running?.catch(() => {});
    this.#running = this.#next;
    this.#next = null;
    await this.#publisher.publish();
    if (!this.#isClosed) for (const listener of this.#listeners) listener();
  }

  onPublished(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#appender[Symbol.asyncDispose]();
    await this.#next?.catch(() => {});
    await this.#running?.catch(() => {});
    await this.#fence?.release().catch(() => {}); // then a copy waits until the record expires
  }
}
