// Gateway source: batch roots from the ledger of a server, read without trust in its operator: every checkpoint must be
// signed by the configured key, every entry must be included, and the log must never contradict an earlier state.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChainIdentity, ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import {
  entryTransactionHash,
  findLedgerEntry,
  recordedAtOf,
  TimeOrder,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import type { HttpLog } from '@recordproof/shared/evidence/log-over-http.ts';
import { LogContradiction, LogFollower } from '@recordproof/shared/evidence/log-reader.ts';
import type { NoteKey } from '@recordproof/shared/evidence/signed-note.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { type RootOnChain, type RootSource, SourceUnavailable } from './serve-gateway.ts';

/** Limits the rate of ledger reads caused by requests for unknown batches. */
const shortestPauseMs = 1000;

export class LedgerSource implements RootSource {
  readonly #log: HttpLog;
  readonly #key: NoteKey;
  readonly #pauseMs: number;
  readonly #identity: ChainIdentity;
  readonly #roots = new Map<string, RootOnChain>();
  readonly #follower: LogFollower;
  /** A root whose entry is dated before an earlier entry is not served: its date is false, or a clock was wrong. */
  #recordedUntil = Number.NEGATIVE_INFINITY;
  /** Ends a pause after the end of the newest read. */
  #last: Promise<unknown> = Promise.resolve();
  /** A read that has not begun. */
  #next: Promise<void> | null = null;
  #contradiction: LogContradiction | null = null;

  constructor(log: HttpLog, key: NoteKey, pauseMs = shortestPauseMs) {
    this.#log = log;
    this.#key = key;
    this.#pauseMs = pauseMs;
    this.#identity = ledgerIdentity(key.publicKey);
    this.#follower = new LogFollower(log.readTile);
  }

  async identity(): Promise<ChainIdentity> {
    return this.#identity;
  }

  async findRoot(batchNo: string): Promise<RootOnChain | null> {
    if (!this.#roots.has(batchNo)) await this.refresh();
    // After one contradiction the log is never served again, not even its earlier entries.
    if (this.#contradiction !== null) throw new SourceUnavailable(this.#contradiction.message, this.#contradiction);
    return this.#roots.get(batchNo) ?? null;
  }

  /**
   * Reads up to the newest checkpoint, in a read that begins after this call: an earlier one may not have seen what was
   * published since. Calls that wait for the same read share it.
   */
  refresh(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      const reading = this.#follow();
      this.#last = reading.catch(() => undefined).then(() => sleep(this.#pauseMs, undefined, { ref: false }));
      return reading;
    });
    return this.#next;
  }

  async #follow(): Promise<void> {
    try {
      const note = await this.#log.readCheckpoint();
      const checkpoint = await openCheckpoint(note, this.#key, nodePlatform.verifyEd25519);
      const times = new TimeOrder(this.#recordedUntil);
      const found = await this.#follower.follow(checkpoint, (entry, position) =>
        times.add(position, recordedAtOf(entry)) ? toRoot(entry, position) : undefined,
      );
      this.#recordedUntil = times.latest;
      for (const root of found) {
        if (this.#roots.has(root.batchNo))
          throw new LogContradiction(`the ledger contains batch ${root.batchNo} twice`);
        this.#roots.set(root.batchNo, root);
      }
    } catch (error) {
      if (error instanceof LogContradiction) this.#contradiction = error;
      throw new SourceUnavailable(error instanceof Error ? error.message : 'the ledger cannot be read', error);
    }
  }
}

/** Entries of a later kind are ignored, but are part of the tree. */
function toRoot(bytes: Uint8Array, position: number): RootOnChain | undefined {
  const entry = findLedgerEntry(bytes);
  if (entry?.kind !== 'BATCH_ROOT') return undefined;
  const { batchNo, merkleRoot } = entry;
  return { batchNo, merkleRoot, transactionHash: entryTransactionHash(bytes), blockNumber: position };
}
