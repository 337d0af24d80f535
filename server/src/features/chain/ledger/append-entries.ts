// Group commit for ledger entries: entries that wait while one transaction runs share the next one. An existing entry
// is returned, not rejected. Entries are rejected when the clock is behind the newest entry, because a ledger must
// never state a date that is too early.

import { parseUtf8, toHex } from '@recordproof/shared/evidence/digest.ts';
import {
  clockSkewMs,
  type LedgerEntry,
  ledgerEntryBytes,
  ledgerEntrySchema,
  type NewLedgerEntry,
  subjectOf,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { type Clock, toIso } from '../../../platform/clock.ts';
import { Coalescer, fulfilled } from '../../../platform/coalescer.ts';
import { type DeferredWrites, deferToCommit } from '../../../platform/db/deferred-writes.ts';
import type { Db, Tx } from '../../../platform/db/tables.ts';
import { ChainError } from '../chain-port.ts';
import { type EntryRow, packUndated } from './packed-entry.ts';
import { insertEntries, insertRows, insertUnknown, listEntriesAbout, lockEnd, takePositions } from './queries.ts';

const mostPerCommit = 512;

/** An entry without a position. */
type Draft = Omit<EntryRow, 'position'>;

/** Throws on an entry that a reader of the ledger would reject. */
function toDraft(entry: NewLedgerEntry, now: number): Draft {
  const whole: LedgerEntry = { ...entry, schema: ledgerEntrySchema, recordedAt: toIso(now) };
  const bytes = ledgerEntryBytes(whole);
  return {
    kind: entry.kind,
    subject: subjectOf(entry),
    entry: parseUtf8(bytes),
    leaf_hash: toHex(hashLeaf(bytes)),
    recorded_at: now,
  };
}

export const identify = ({ kind, subject }: Pick<Draft, 'kind' | 'subject'>): string => `${kind}\n${subject}`;

/**
 * Appends one entry and returns its committed row, with a permanent position. An existing entry of the same kind and
 * subject is returned unchanged. After a rejection the commit may be uncertain; query or call again.
 */
export const openAppender = (db: Db, clock: Clock): Coalescer<NewLedgerEntry, EntryRow> =>
  new Coalescer({
    most: mostPerCommit,
    run: async news => {
      const rows = await db.transaction().execute(tx => lockAndAppend(tx, news, () => clock.now()));
      return rows.map(fulfilled);
    },
  });

/** The error message if the clock is so far behind the ledger that new entries would be dated too early. */
export function findClockProblem(now: number, recordedUntil: number): string | undefined {
  if (now >= recordedUntil - clockSkewMs) return undefined;
  return `the clock of this server says ${toIso(now)}, and the newest entry of its ledger was recorded at ${toIso(recordedUntil)}: set the clock of this machine right, or wait until that time where the other clock was ahead.`;
}

/** `now` is read under the lock; no entry is dated before the newest one. */
async function lockAndAppend(tx: Tx, news: readonly NewLedgerEntry[], now: () => number): Promise<EntryRow[]> {
  const end = await lockEnd(tx);
  if (end.fenced_at !== null)
    throw new ChainError('UNREACHABLE', 'another database has taken over this ledger; the log of the server names it');
  const readAt = now();
  const problem = findClockProblem(readAt, end.recorded_until);
  if (problem !== undefined) throw new ChainError('UNREACHABLE', problem);
  const time = Math.max(readAt, end.recorded_until);
  return appendDrafts(
    tx,
    end,
    news.map(entry => toDraft(entry, time)),
  );
}

/** Writes rows that refer to the entries, in the transaction that locks the log. */
type Recorded = (rows: readonly EntryRow[]) => Promise<void>;

/** Deferred to the commit, where the log is locked and the entries are dated. */
type Pending = { readonly entries: readonly NewLedgerEntry[]; readonly clock: Clock; readonly recorded?: Recorded };

/** The log is one row for all writers, so it is locked after all other deferred rows. */
const entries: DeferredWrites<Pending> = {
  order: 3,
  write: async (tx, engine, pending) => {
    const news = pending.flatMap(one => one.entries);
    const now = Math.min(...pending.map(({ clock }) => clock.now()));
    const appendNew = engine === 'postgres' ? appendUnknown : appendUnknownOnSqlite;
    const rows = (await appendNew(tx, news, now)) ?? (await appendOrFind(tx, news, now));
    let first = 0;
    for (const one of pending) {
      await one.recorded?.(rows.slice(first, first + one.entries.length));
      first += one.entries.length;
    }
  },
};

/** In one statement. Returns null, with nothing written, if an entry for one of them exists or the clock is behind. */
async function appendUnknown(tx: Tx, news: readonly NewLedgerEntry[], now: number): Promise<EntryRow[] | null> {
  const drafts = news.map(entry => toDraft(entry, now));
  if (new Set(drafts.map(identify)).size < drafts.length) return null;
  const field = '"recordedAt":"';
  const time = toIso(now);
  const undated = drafts.map(({ kind, subject, entry }) => {
    const at = entry.indexOf(`${field}${time}`) + field.length; // other dates of the entry may be equal
    const [before, after] = [entry.slice(0, at), entry.slice(at + time.length)];
    const packed = packUndated({ subject, recorded_at: now }, before, after).toString('hex');
    return { kind, subject, before, after, packed };
  });
  const rows = await insertUnknown(tx, undated, now);
  if (rows.length === 0) return null;
  for (const [at, { recorded_at, leaf_hash, entry }] of rows.entries()) {
    const draft = toDraft(news[at] as NewLedgerEntry, recorded_at);
    if (draft.leaf_hash !== leaf_hash || draft.entry !== entry)
      throw new Error(`internal: the ledger entry about ${draft.subject} differs from what the database stored`);
  }
  return rows;
}

/** As `appendUnknown`, in two statements. */
async function appendUnknownOnSqlite(tx: Tx, news: readonly NewLedgerEntry[], now: number): Promise<EntryRow[] | null> {
  const named = news.map(entry => ({ kind: entry.kind, subject: subjectOf(entry) }));
  if (new Set(named.map(identify)).size < named.length) return null;
  const kinds = [...Map.groupBy(named, ({ kind }) => kind)];
  const about = kinds.map(([kind, some]) => ({ kind, subjects: some.map(({ subject }) => subject) }));
  const end = await takePositions(tx, about, { count: news.length, now });
  if (end === undefined) return null;
  const first = end.size - news.length;
  const rows = news.map((entry, at) => ({ position: first + at, ...toDraft(entry, end.recorded_until) }));
  await insertRows(tx, rows);
  return rows;
}

async function appendOrFind(tx: Tx, news: readonly NewLedgerEntry[], now: number): Promise<EntryRow[]> {
  const rows = await lockAndAppend(tx, news, () => now);
  // An entry that differs only in its date exists already.
  for (const [at, row] of rows.entries())
    if (toDraft(news[at] as NewLedgerEntry, row.recorded_at).leaf_hash !== row.leaf_hash)
      throw new ChainError('REFUSED', `the ledger has a different entry about ${row.subject}`);
  return rows;
}

/**
 * Appends with the caller's commit, which fails if the ledger holds different entries of the same subject. They are
 * dated there, so that no date precedes that of an earlier entry; `recorded` writes what depends on it.
 */
export const recordWithin = async (
  tx: Tx,
  clock: Clock,
  news: readonly NewLedgerEntry[],
  recorded?: Recorded,
): Promise<void> =>
  news.length === 0 ? undefined : deferToCommit(tx, entries, [{ entries: news, clock, ...(recorded && { recorded }) }]);

/**
 * In the caller's transaction, as its last statement if possible: the log is locked, so that the newest state is read
 * and positions have no gaps. Returns the rows in the order of the drafts.
 */
async function appendDrafts(
  tx: Tx,
  { size, recorded_until }: Awaited<ReturnType<typeof lockEnd>>,
  drafts: readonly Draft[],
): Promise<EntryRow[]> {
  const rows = new Map<string, EntryRow>();
  for (const [kind, some] of Map.groupBy(drafts, draft => draft.kind)) {
    const subjects = new Set(some.map(draft => draft.subject));
    for (const row of await listEntriesAbout(tx, kind, [...subjects])) rows.set(identify(row), row);
  }
  const added: EntryRow[] = [];
  const answers = drafts.map(draft => {
    const existing = rows.get(identify(draft));
    if (existing) return existing;
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
