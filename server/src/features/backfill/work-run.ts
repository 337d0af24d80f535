// Works on a run, on as many servers as there are: one of them leads, which means that it finds the items and ends the run;
// whoever has time works on items, a few under one lease each. It may stop anywhere and goes on anywhere.
import { localCall } from '../../platform/call.ts';
import { assertClaim } from '../../platform/db/claim.ts';
import { Lease } from '../../platform/db/lease.ts';
import type { Key } from '../../platform/db/tables.ts';
import { workClaimed } from '../../platform/db/work-claimed.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { readSubjects } from './examine-record.ts';
import { claimItems, countClaimed, discoverItems, findNextDue, giveUpLost } from './item-queries.ts';
import { finalStatus, isAtWork, workingStatus } from './policy.ts';
import { takeCounts } from './run-counts.ts';
import { claimLead, findRun, holdRun, leaveLead, type RunRow, updateRun } from './run-queries.ts';
import { digestSnapshot } from './snapshot.ts';
import { type Working, workItem } from './work-item.ts';

export type WhichRun = { readonly tenantId: Key; readonly runId: Key };

/** Each of them reads one object at a time. */
const itemsAtOnce = 4;

export const mayWorkOn = ({ backfill }: Pick<Server['config'], 'backfill'>, mode: RunRow['mode']): boolean =>
  backfill.workerEnabled && (mode !== 'APPLY' || backfill.applyEnabled);

/** Until the run is over, or what is left of it is claimed by others or has to wait. */
export async function workOnRun(server: Working, which: WhichRun, signal: AbortSignal): Promise<void> {
  const run = await takeUp(server, which);
  if (run === null) return;
  const { database, clock, config } = server;
  const { db, kind } = database;
  const leaseMs = config.backfill.runLeaseSeconds * 1000;
  const now = clock.now();
  const lead = await claimLead(db, kind, run, now, now + leaseMs);
  if (lead === null) return help(server, run, signal);
  using lease = new Lease({ db, engine: kind, clock, leaseMs }, { table: 'backfill_run', claim: lead });
  const either = AbortSignal.any([signal, lease.lost]);
  try {
    await giveUpLost(db, run, config.backfill.maxAttempts, now);
    await discover(server, lead, either);
    while ((await workBatch(server, lead, either)) > 0);
    await conclude(server, lead);
  } finally {
    await leaveLead(db, lead, clock.now());
  }
}

/** One batch, and only where few others help already: the next look brings another helper. */
async function help(server: Working, run: RunRow, signal: AbortSignal): Promise<void> {
  const { database, clock, config } = server;
  if ((await countClaimed(database.db, run, clock.now())) > config.backfill.claimSize) return;
  await workBatch(server, run, signal);
}

const takeUp = ({ database, clock, config }: Working, { tenantId, runId }: WhichRun): Promise<RunRow | null> =>
  database.db.transaction().execute(async tx => {
    const run = await holdRun(tx, database.kind, tenantId, runId);
    if (run === null || !mayWorkOn(config, run.mode)) return null;
    if (isAtWork(run)) return run;
    if (run.status !== 'PLANNED') return null;
    const started_at = run.started_at ?? clock.now();
    return updateRun(tx, run, { status: workingStatus(run.mode), started_at });
  });

/** A page of records at a time becomes items. */
async function discover({ database, clock, config }: Working, lead: RunRow, signal: AbortSignal): Promise<void> {
  const { db, kind } = database;
  for (let isMore = true; isMore; ) {
    signal.throwIfAborted();
    isMore = await db.transaction().execute(async tx => {
      await assertClaim(tx, kind, 'backfill_run', lead);
      const run = await findRun(tx, lead.tenant_id, lead.id);
      if (run === null || !isAtWork(run) || run.seen_id >= run.last_id) return false;
      const seen = await discoverItems(tx, { run, limit: config.backfill.pageSize, now: clock.now() });
      await updateRun(tx, run, { seen_id: seen ?? run.last_id });
      return true;
    });
  }
}

/** Answers how many items it worked on. */
async function workBatch(server: Working, run: RunRow, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const { database, clock, config } = server;
  const { db, kind } = database;
  const now = clock.now();
  const leaseMs = config.backfill.claimLeaseSeconds * 1000;
  const until = now + leaseMs;
  const items = await claimItems(db, kind, run, { now, until, limit: config.backfill.claimSize });
  if (items.length === 0) return 0;
  const fileIds = items.map(item => item.file_id);
  const reading = readSubjects(db, run.tenant_id, fileIds);
  const leasing = { db, engine: kind, clock, leaseMs, signal };
  await workClaimed({ ...leasing, table: 'backfill_item', rows: items, atOnce: itemsAtOnce }, async (item, lost) => {
    const subject = (await reading).get(item.file_id);
    await workItem(server, { run, item, subject, lost }, signal);
  });
  return items.length;
}

/** What has to wait for another try is looked for again; where nothing is left, the run is over. */
async function conclude({ database, clock }: Working, lead: RunRow): Promise<void> {
  const { db, kind } = database;
  const isOver = (await findNextDue(db, lead)) === null;
  const snapshot_digest = isOver && lead.mode === 'SCAN' ? await digestSnapshot(db, lead) : lead.snapshot_digest;
  await db.transaction().execute(async tx => {
    await assertClaim(tx, kind, 'backfill_run', lead);
    const run = await holdRun(tx, kind, lead.tenant_id, lead.id);
    if (run === null || !isAtWork(run) || run.seen_id < run.last_id) return;
    const next = await findNextDue(tx, run);
    if (next !== null && run.mode === 'APPLY') await updateRun(tx, run, { status: 'PLANNED' });
    if (!isOver || next !== null) return;
    const now = clock.now();
    const status = finalStatus(run.mode);
    const { rows, counts } = await takeCounts(tx, run);
    await updateRun(tx, run, { status, snapshot_digest, counts, completed_at: now });
    const found = Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
    const entry = {
      module: 'backfill',
      operation: 'end-run',
      description: `backfill run ${run.id} ended: ${status}`,
      param: { runId: run.id, mode: run.mode, snapshotDigest: snapshot_digest, ...found },
    };
    await appendAudit(tx, localCall('backfill', run.tenant_id, now), entry, now);
  });
}
