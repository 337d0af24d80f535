// Puts entries on the embedded ledger. What waits while one transaction is on its way goes into the next one together,
// so that many uploads at once share one commit. Refuses nothing that is there already: it answers with what is there.
// Rejects entries of a clock that is behind the newest entry: a date that is too early is the one thing it must not state.

import { parseUtf8, toHex } from '@recordproof/shared/evidence/digest.ts';
import {
  clockSkewMs,
  type LedgerEntry,
  ledgerEntryBytes,
  ledgerEntrySchema,
  subjectOf,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import { type Clock, toIso } from '../../../platform/clock.ts';
import { type LastWords, leaveForTheEnd } from '../../../platform/db/last-words.ts';
import type { Db, Tx } from '../../../platform/db/tables.ts';
import { fulfilled, Together } from '../../../platform/together.ts';
import { ChainError } from '../chain-port.ts';
import type { NewEntry } from '../new-entry.ts';
import { type EntryRow, insertEntries, insertUnknown, listEntriesAbout, lockEnd } from './queries.ts';

const mostPerCommit = 512;

/** An entry that has no position yet. */
export type Draft = Omit<EntryRow, 'position'>;

/** Throws on an entry that a reader of the ledger would refuse. */
export function toDraft(entry: NewEntry, now: number): Draft {
  const whole: LedgerEntry = { ...entry, schema: ledgerEntrySchema, recordedAt: toIso(now) };
  const bytes = ledgerEntryBytes(whole);
  return {
    kind: entry.kind,
    subject: subjectOf(entry),
    entry: parseUtf8(bytes),
    leaf_hash: toHex(hashLeaf(bytes, sha256)),
    recorded_at: now,
  };
}

const identify = ({ kind, subject }: Pick<Draft, 'kind' | 'subject'>): string => `${kind}\n${subject}`;

/**
 * Takes one entry and answers with its row, committed: at a position that nothing takes away again. An entry of the same
 * kind and subject that is there already is answered as it is. When it rejects, whether it was committed may be unknown;
 * ask or call again.
 */
export const openAppender = (db: Db, clock: Clock): Together<NewEntry, EntryRow> =>
  new Together({
    most: mostPerCommit,
    run: async news => {
      const rows = await db.transaction().execute(async tx => {
        const end = await lockEnd(tx);
        // The time is taken under the lock, and is never before that of the newest entry.
        const now = clock.now();
        assertUnfenced(end);
        assertClock(now, end);
        const time = Math.max(now, end.recorded_until);
        return appendDrafts(
          tx,
          end,
          news.map(entry => toDraft(entry, time)),
        );
      });
      return rows.map(fulfilled);
    },
  });

type End = Awaited<ReturnType<typeof lockEnd>>;

const isBehind = (time: number, { recorded_until }: Pick<End, 'recorded_until'>): boolean =>
  time < recorded_until - clockSkewMs;

/** What to say when the clock is so far behind the ledger that whatever is recorded now would be dated too early. */
export function findClockProblem(now: number, recordedUntil: number): string | undefined {
  if (!isBehind(now, { recorded_until: recordedUntil })) return undefined;
  return `the clock of this server says ${toIso(now)}, and the newest entry of its ledger was recorded at ${toIso(recordedUntil)}: set the clock of this machine right, or wait until that time where the other clock was ahead.`;
}

function assertUnfenced({ fenced_at }: Pick<End, 'fenced_at'>): void {
  if (fenced_at !== null)
    throw new ChainError('UNREACHABLE', 'another database has taken over this ledger; the log of the server names it');
}

function assertClock(time: number, { recorded_until }: Pick<End, 'recorded_until'>): void {
  const problem = findClockProblem(time, recorded_until);
  if (problem !== undefined) throw new ChainError('UNREACHABLE', problem);
}

/** For the end of a transaction: an entry that is dated there, or a draft, whose date and hash are known to others already. */
type Pending = { readonly draft: Draft } | { readonly entry: NewEntry; readonly clock: Clock };

/** Dates what has no date yet. Throws ChainError when a clock is behind the newest entry. */
function toDrafts(pending: readonly Pending[], end: Pick<End, 'recorded_until'>): Draft[] {
  return pending.map(one => {
    const now = 'draft' in one ? one.draft.recorded_at : one.clock.now();
    assertClock(now, end);
    return 'draft' in one ? one.draft : toDraft(one.entry, Math.max(now, end.recorded_until));
  });
}

/** The newest end of the log behind which all of them may come. */
const latestEnd = (pending: readonly Pending[], drafts: readonly Draft[]): number =>
  Math.min(...drafts.map(({ recorded_at }, at) => recorded_at + ('draft' in (pending[at] ?? {}) ? clockSkewMs : 0)));

/** The log is one row for everybody, so it comes behind all other rows that are taken at the end of a transaction. */
const entries: LastWords<Pending> = {
  turn: 3,
  write: async (tx, engine, pending) => {
    const first = toDrafts(pending, { recorded_until: 0 });
    const isOnePerSubject = new Set(first.map(identify)).size === first.length;
    if (engine === 'postgres' && isOnePerSubject && (await insertUnknown(tx, first, latestEnd(pending, first)))) return;
    const end = await lockEnd(tx);
    assertUnfenced(end);
    const drafts = toDrafts(pending, end);
    const rows = await appendDrafts(tx, end, drafts);
    for (const [at, row] of rows.entries())
      if (!isSame(row, pending[at], drafts[at]))
        throw new ChainError('REFUSED', `the ledger holds another entry about ${row.subject}`);
  },
};

/** An entry without a date of its own is there already when one that differs in nothing but its date is. */
function isSame(row: EntryRow, pending: Pending | undefined, draft: Draft | undefined): boolean {
  if (row.leaf_hash === draft?.leaf_hash) return true;
  return (
    pending !== undefined && 'entry' in pending && toDraft(pending.entry, row.recorded_at).leaf_hash === row.leaf_hash
  );
}

/** With the caller's commit, which is rejected where the ledger holds other entries about the same. */
export const appendWithin = (tx: Tx, drafts: readonly Draft[]): Promise<void> =>
  leaveForTheEnd(
    tx,
    entries,
    drafts.map(draft => ({ draft })),
  );

/** As `appendWithin`, for entries that need no date before the commit: theirs is never before that of an earlier entry. */
export const recordWithin = async (tx: Tx, clock: Clock, news: readonly NewEntry[]): Promise<void> =>
  news.length === 0
    ? undefined
    : leaveForTheEnd(
        tx,
        entries,
        news.map(entry => ({ entry, clock })),
      );

/**
 * In the caller's transaction, of which it should be the last statement: the log is locked, so that what is read is the
 * newest state and positions follow without gaps. Answers the rows in the order of the drafts.
 */
async function appendDrafts(tx: Tx, { size, recorded_until }: End, drafts: readonly Draft[]): Promise<EntryRow[]> {
  const rows = new Map<string, EntryRow>();
  for (const [kind, some] of Map.groupBy(drafts, draft => draft.kind)) {
    const subjects = new Set(some.map(draft => draft.subject));
    for (const row of await listEntriesAbout(tx, kind, [...subjects])) rows.set(identify(row), row);
  }
  const added: EntryRow[] = [];
  const answers = drafts.map(draft => {
    const known = rows.get(identify(draft));
    if (known) return known;
    const row = { position: size + added.length, ...draft };
    rows.set(identify(draft), row);
    added.push(row);
    return row;
  });
  const times = added.map(({ recorded_at }) => recorded_at);
  const end = { size: size + added.length, recorded_until: Math.max(recorded_until, ...times) };
  if (added.length > 0) await insertEntries(tx, added, end);
  return answers;
}
