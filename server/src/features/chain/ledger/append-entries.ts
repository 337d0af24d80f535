// Puts entries on the embedded ledger. What waits while one transaction is on its way goes into the next one together,
// so that many uploads at once share one commit. Refuses nothing that is there already: it answers with what is there.

import { parseUtf8, toHex } from '@recordproof/shared/evidence/digest.ts';
import { type LedgerEntry, ledgerEntryBytes, ledgerEntrySchema } from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { type Clock, toIso } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/tables.ts';
import { type EntryKind, type NewEntry, subjectOf } from '../new-entry.ts';
import { nodeSha256 } from './ledger-key.ts';
import { type EntryRow, insertEntries, listEntriesAbout, lockSize } from './queries.ts';

const mostPerCommit = 512;

type Draft = Omit<EntryRow, 'position'>;
type Waiting = { readonly draft: Draft; resolve(row: EntryRow): void; reject(error: unknown): void };

/** Throws on an entry that a reader of the ledger would refuse. */
export function toDraft(entry: NewEntry, now: number): Draft {
  const whole: LedgerEntry = { ...entry, schema: ledgerEntrySchema, recordedAt: toIso(now) };
  const bytes = ledgerEntryBytes(whole);
  return {
    kind: entry.kind,
    subject: subjectOf(entry),
    entry: parseUtf8(bytes),
    leaf_hash: toHex(hashLeaf(bytes, nodeSha256)),
    recorded_at: now,
  };
}

export class EntryAppender {
  readonly #db: Db;
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Committed when it resolves: at a position that nothing takes away again. An entry of the same kind and subject that
   * is there already is answered as it is. When it rejects, whether it was committed may be unknown; ask or call again.
   */
  async append(entry: NewEntry): Promise<EntryRow> {
    const draft = toDraft(entry, this.#clock.now());
    const row = new Promise<EntryRow>((resolve, reject) => this.#waiting.push({ draft, resolve, reject }));
    this.#running ??= this.#run();
    return row;
  }

  /** Resolves when nothing is on its way any more. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // One turn of the loop later, so that callers of the same moment travel together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, mostPerCommit);
      try {
        const rows = await this.#db.transaction().execute(tx =>
          appendDrafts(
            tx,
            batch.map(({ draft }) => draft),
          ),
        );
        for (const { draft, resolve, reject } of batch) {
          const row = rows.get(keyOf(draft));
          if (row) resolve(row);
          else reject(new Error('an entry got lost on its way to the ledger'));
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = null;
  }
}

const keyOf = ({ kind, subject }: Pick<Draft, 'kind' | 'subject'>): string => `${kind}\n${subject}`;

/** Locks the log first, so that what is read afterwards is the newest state and positions follow without gaps. */
async function appendDrafts(tx: Tx, drafts: readonly Draft[]): Promise<ReadonlyMap<string, EntryRow>> {
  const size = await lockSize(tx);
  const rows = new Map<string, EntryRow>();
  for (const kind of ['FILE_RECORD', 'BATCH_ROOT'] satisfies EntryKind[]) {
    const subjects = new Set(drafts.filter(draft => draft.kind === kind).map(draft => draft.subject));
    for (const row of await listEntriesAbout(tx, kind, [...subjects])) rows.set(keyOf(row), row);
  }
  const added: EntryRow[] = [];
  for (const draft of drafts) {
    if (rows.has(keyOf(draft))) continue;
    const row = { position: size + added.length, ...draft };
    rows.set(keyOf(draft), row);
    added.push(row);
  }
  if (added.length > 0) await insertEntries(tx, added, size + added.length);
  return rows;
}
