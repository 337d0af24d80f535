// Work on one claimed item: examines its record and, in APPLY, creates its manifest. The outcome is written only while
// this server holds the claim.
import { type BackfillReason, classOf, isWorthRetrying } from '@recordproof/shared/api/backfill-reasons.ts';
import { LeaseLost } from '../../platform/db/claim.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { ChainError, LedgerDamaged } from '../chain/index.ts';
import { applyItem } from './apply-item.ts';
import { examineRecord, type RecordFindings } from './examine-record.ts';
import { endItem, type ItemEnding, type ItemRow, type RunRow, releaseItem } from './item-queries.ts';
import { pauseAfter, type Subject, statusFor } from './policy.ts';

export type Working = Pick<Server, 'database' | 'clock' | 'log' | 'config' | 'objects' | 'records' | 'backfillMetrics'>;

type Work = {
  readonly run: RunRow;
  readonly item: ItemRow;
  readonly subject: Subject | undefined;
  /** Aborted when the claim is lost. */
  readonly lost: AbortSignal;
};

export async function workItem(
  server: Working,
  { run, item, subject, lost }: Work,
  signal: AbortSignal,
): Promise<void> {
  const either = AbortSignal.any([signal, lost]);
  try {
    either.throwIfAborted();
    await finish(server, run, item, await examineAndApply(server, { run, item, subject }, either));
  } catch (error) {
    if (error instanceof LeaseLost || lost.aborted) return;
    if (signal.aborted) return void (await releaseItem(server.database.db, item, server.clock.now()));
    await finish(server, run, item, { reason: toReason(server, item, error), evidenceDigest: null });
  }
}

type Ended = { readonly reason: BackfillReason; readonly evidenceDigest: string | null; readonly isOver?: boolean };
type ItemInput = Pick<Work, 'run' | 'item' | 'subject'>;

async function examineAndApply(
  server: Working,
  { run, item, subject }: ItemInput,
  signal: AbortSignal,
): Promise<Ended> {
  if (subject === undefined) throw new Error(`backfill item ${item.id}: its file no longer exists`);
  const verdict: RecordFindings = await examineRecord(server, subject, signal);
  const { reason, evidenceDigest, proven } = verdict;
  const changed = { reason: 'EVIDENCE_DIGEST_CHANGED', evidenceDigest } as const;
  if (item.expected_digest !== null && item.expected_digest !== evidenceDigest) return changed;
  if (run.mode !== 'APPLY' || proven === null) return { reason, evidenceDigest };
  const isApplied = await applyItem(server, { item, file: subject.file, proven }, signal);
  return isApplied ? { reason, evidenceDigest, isOver: true } : changed;
}

/** An applied item ended in the transaction that wrote its manifest. */
async function finish({ database, clock, config, backfillMetrics }: Working, run: RunRow, item: ItemRow, ended: Ended) {
  const { reason, evidenceDigest, isOver = false } = ended;
  const now = clock.now();
  const ending = toEnding(item, ended, config.backfill.maxAttempts, now);
  if (!isOver && !(await endItem(database.db, item, { ...ending, evidence_digest: evidenceDigest }, now))) return;
  if (ending.due_at === null) backfillMetrics.itemEnded(run.mode, classOf(reason));
}

function toEnding(item: ItemRow, { reason }: Ended, maxAttempts: number, now: number): ItemEnding {
  if (isWorthRetrying(reason) && item.attempts < maxAttempts)
    return { status: 'PENDING', reason: null, classification: null, due_at: now + pauseAfter(item.attempts) };
  return { status: statusFor(reason), reason, classification: classOf(reason), due_at: null };
}

function toReason({ log }: Working, item: ItemRow, error: unknown): BackfillReason {
  const about = { runId: item.run_id, itemId: item.id, fileId: item.file_id, error: toErrorText(error) };
  log.warn(about, 'failed to process a backfill item');
  if (error instanceof ObjectStoreError) return 'STORE_UNAVAILABLE';
  if (error instanceof LedgerDamaged) return 'CHAIN_UNAVAILABLE';
  if (!(error instanceof ChainError)) return 'WORKER_ERROR';
  return error.failure === 'REFUSED' ? 'CHAIN_CONFLICT' : 'CHAIN_UNAVAILABLE';
}
