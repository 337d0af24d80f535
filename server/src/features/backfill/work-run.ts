// Work on a backfill run, on several servers: the leader finds the items and ends the run; the others help, one batch
// at a time. It can be interrupted at any point and continued on any server.
import { createHash } from 'node:crypto';
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import { assertClaim, claim, endClaim } from '../../platform/db/claim.ts';
import { Lease, workClaimed } from '../../platform/db/lease.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import {
  claimItems,
  discoverItems,
  endRun,
  findNextDue,
  isActive,
  isDiscovered,
  isRowActive,
  lockActiveRun,
  lockRun,
  type RunKey,
  readPages,
  toRunKey,
  updateRun,
} from '../runs/index.ts';
import { backfills, mayWorkOn } from './backfills.ts';
import { readSubjects } from './examine-record.ts';
import {
  countClaimed,
  countItemsAsJson,
  type EvidenceRow,
  failLost,
  insertItems,
  listEvidence,
  type RunRow,
} from './item-queries.ts';
import { finalStatus, workingStatus } from './policy.ts';
import { type Working, workItem } from './work-item.ts';

/** Each reads one object at a time. */
const itemsAtOnce = 4;

/** Runs until the run is over, or its open items are claimed by other servers or not due. */
export async function workOnRun(server: Working, which: RunKey, signal: AbortSignal): Promise<void> {
  const run = await takeUp(server, which);
  if (run === null) return;
  const { database, clock, config } = server;
  const { db, kind } = database;
  const leaseMs = config.backfill.runLeaseSeconds * 1000;
  const now = clock.now();
  const lead = await claimLead(server, run, now + leaseMs);
  if (lead === null) return help(server, run, signal);
  using lease = new Lease({ db, engine: kind, clock, leaseMs }, { table: 'backfill_run', claim: lead });
  const either = AbortSignal.any([signal, lease.lost]);
  try {
    await failLost(db, run, config.backfill.maxAttempts, now);
    await discoverItems(server, backfills, which, {
      assertLead: tx => assertClaim(tx, kind, 'backfill_run', lead),
      discover: (tx, run, now) => insertItems(tx, { run, limit: config.backfill.pageSize, now }),
      signal: either,
    });
    while ((await workBatch(server, lead, either)) > 0);
    await conclude(server, lead);
  } finally {
    await endClaim(db, 'backfill_run', lead, { due_at: clock.now() }); // another server may become the leader at once
  }
}

/** One batch, and only if there are few helpers: the next poll adds another. */
async function help(server: Working, run: RunRow, signal: AbortSignal): Promise<void> {
  const { database, clock, config } = server;
  if ((await countClaimed(database.db, run, clock.now())) > config.backfill.claimSize) return;
  await workBatch(server, run, signal);
}

const takeUp = ({ database, clock, config }: Working, which: RunKey): Promise<RunRow | null> =>
  database.db.transaction().execute(async tx => {
    const run = await lockRun(tx, database.kind, backfills, which);
    if (run === null || !mayWorkOn(config, run.mode)) return null;
    if (isActive(backfills, run)) return run;
    if (run.status !== 'PLANNED') return null;
    const started_at = run.started_at ?? clock.now();
    return updateRun(tx, backfills, run, { status: workingStatus(run.mode), started_at });
  });

/** Returns null while another server is the leader. Waits for a locked row. */
async function claimLead({ database, clock }: Working, run: RunRow, until: Time): Promise<RunRow | null> {
  const due = database.db
    .selectFrom('backfill_run')
    .select('id')
    .where(isRowActive(backfills))
    .where('tenant_id', '=', run.tenant_id)
    .where('id', '=', run.id)
    .where('due_at', '<=', clock.now());
  const [row] = await claim(database.db, database.kind, 'backfill_run', { due, until, waits: true });
  return row ?? null;
}

/** Returns how many items it processed. */
async function workBatch(server: Working, run: RunRow, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const { database, clock, config } = server;
  const { db, kind } = database;
  const now = clock.now();
  const leaseMs = config.backfill.claimLeaseSeconds * 1000;
  const until = now + leaseMs;
  const items = await claimItems(db, kind, { kind: backfills, run }, { now, until, limit: config.backfill.claimSize });
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

/** Ends the run if no item is open; open items wait for another attempt at the next poll. */
async function conclude({ database, clock }: Working, lead: RunRow): Promise<void> {
  const { db, kind } = database;
  const isOver = (await findNextDue(db, backfills.items, lead.id)) === null;
  const snapshot_digest = isOver && lead.mode === 'SCAN' ? await digestSnapshot(db, lead) : lead.snapshot_digest;
  await db.transaction().execute(async tx => {
    await assertClaim(tx, kind, 'backfill_run', lead);
    const run = await lockActiveRun(tx, kind, backfills, toRunKey(lead));
    if (run === null || !isDiscovered(backfills, run)) return;
    const next = await findNextDue(tx, backfills.items, run.id);
    if (next !== null && run.mode === 'APPLY') await updateRun(tx, backfills, run, { status: 'PLANNED' });
    if (!isOver || next !== null) return;
    const { rows, counts } = await countItemsAsJson(tx, run);
    const change = { status: finalStatus(run.mode), snapshot_digest, counts };
    const reasons = Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
    const param = { mode: run.mode, snapshotDigest: snapshot_digest, ...reasons };
    await endRun(tx, backfills, run, { change, param }, clock.now());
  });
}

/** SHA-256 over one line per item, ordered by record id. */
async function digestSnapshot(db: Db, run: RunRow): Promise<string> {
  const hash = createHash('sha256');
  for await (const rows of readPages<EvidenceRow>((last, limit) => listEvidence(db, run, last?.file_hash ?? '', limit)))
    for (const row of rows) hash.update(toLine(row));
  return toDigest(hash.digest());
}

const toLine = ({ file_hash, classification, reason, evidence_digest }: EvidenceRow): string =>
  `${file_hash} ${classification ?? '-'} ${reason ?? '-'} ${evidence_digest ?? '-'}\n`;
