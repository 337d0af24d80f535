// The embedded ledger, opened: appends, publishes, and hands out what is public. Refuses to start on a database that
// holds another log, or another history of this one than was published (docs/spec/ledger.md).
import type { KeyObject } from 'node:crypto';
import { type ChainIdentity, ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { type NoteKey, toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/tables.ts';
import { StartRefused } from '../../../platform/installation.ts';
import type { LogPort } from '../../../platform/log-port.ts';
import { type ObjectStore, ObjectStoreError } from '../../../platform/objects/object-store.ts';
import type { NewEntry } from '../new-entry.ts';
import { findClockProblem, openAppender, recordWithin } from './append-entries.ts';
import { emptyEdge } from './ledger-edge.ts';
import { toNoteSigner, toPostQuantumSigner, toPublicBytes } from './ledger-key.ts';
import { CheckpointPublisher, toCheckpointRow } from './publish-checkpoint.ts';
import { type EntryRow, ensureFirstCheckpoint, ensureLog, getLog } from './queries.ts';
import { PublishedTiles } from './read-ledger.ts';
import { recoverLedger } from './recover-ledger.ts';
import { type FenceOptions, WriterFence } from './writer-fence.ts';

/** Entries that nobody waits for are published together. */
const lingerMs = 200;

export type LedgerOptions = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly log: LogPort;
  readonly privateKey: KeyObject;
  /** What the log is called in its checkpoints; fixed by the first start. */
  readonly name?: string | undefined;
  /** Whether checkpoints are signed with ML-DSA-44 too. */
  readonly isPostQuantum?: boolean;
  /** Whose database writes the ledger; without it no copy is kept away. */
  readonly writer?: Pick<FenceOptions, 'database' | 'identity'> | undefined;
};

export type Ledger = AsyncDisposable & {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly key: NoteKey;
  /** What witnesses and monitors are configured with. */
  readonly verifierKey: string;
  /** Of ML-DSA-44, where checkpoints are signed with it too. */
  readonly postQuantumKey: string | undefined;
  readonly identity: ChainIdentity;
  /** What is public of it besides the newest checkpoint. */
  readonly tiles: PublishedTiles;

  /**
   * Committed when it resolves; published soon after. One entry per kind and subject: what is there already is answered
   * as it is. When it rejects, the entry may or may not be there: ask or call again.
   */
  append(entry: NewEntry): Promise<EntryRow>;

  /**
   * Records with the caller's commit, where the entries are dated: it throws ChainError REFUSED where others are there. An
   * entry that differs from one that is there in nothing but its date is taken for that one. `recorded` gets the rows
   * before the commit, for what names them. Published soon.
   */
  recordWithin(
    tx: Tx,
    entries: readonly NewEntry[],
    recorded?: (rows: readonly EntryRow[]) => Promise<void>,
  ): Promise<void>;

  publishSoon(): void;

  /** Whatever was committed before the call stands under a signed checkpoint when it resolves. */
  publish(): Promise<void>;

  /** As `publish`, unless the entry at this position stands under a signed checkpoint already. */
  publishUpTo(position: number): Promise<void>;

  /** Tells copies of the database that this one is in use. */
  renewWriter(): Promise<void>;

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
  const fence = ports.writer && new WriterFence({ db, objects, clock, ...ports.writer });
  await fence?.claim();
  await recoverLedger({ db, objects, key: signer, log }, clock.now());
  const problem = findClockProblem(clock.now(), (await getLog(db)).recorded_until);
  if (problem !== undefined) throw new StartRefused(problem);
  const writing = new LedgerWriter(
    ports,
    new CheckpointPublisher({ db, objects, clock, signer, postQuantum, log, fence }),
    fence,
  );
  writing.publishSoon();
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
      if ((await getLog(db)).published_size <= position) await writing.publish();
    },
    renewWriter: async () =>
      fence?.renew().catch(error => {
        if (!(error instanceof ObjectStoreError)) throw error; // the next half minute tries again
      }),
    onPublished: listener => writing.onPublished(listener),
    [Symbol.asyncDispose]: () => writing.close(),
  };
}

async function openLog({ db, name }: LedgerOptions, publicKey: Uint8Array, identity: ChainIdentity) {
  const log = await ensureLog(db, name ?? `recordproof-${identity.chainId}`, toHex(publicKey));
  if (log.public_key !== toHex(publicKey))
    throw new StartRefused('the ledger in this database was begun with another key; restore the file ledger.key.');
  if (name !== undefined && name !== log.origin)
    throw new StartRefused(`the ledger in this database is called "${log.origin}", and a ledger keeps its name.`);
  return log;
}

/** One publication at a time; whoever asks while one runs shares the next. */
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

  async append(entry: NewEntry): Promise<EntryRow> {
    const row = await this.#appender.add(entry);
    this.publishSoon();
    return row;
  }

  publishSoon(): void {
    if (this.#timer !== null || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.publish().catch(error => this.#log.warn({ err: error }, 'the checkpoint of the ledger was not published'));
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
    await this.#fence?.release().catch(() => {}); // then a copy waits until it is over by itself
  }
}
