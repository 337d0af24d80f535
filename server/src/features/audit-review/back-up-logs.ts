// Backups of the oldest rows of a tenant's log (docs/guide/audit.md): gzip of one line of JSON per row, in the order of
// the chain, and a signed last line. Rows may be deleted, by a job, only after the file was read back completely. Rows
// with a broken chain are rejected, because deleting them would hide the break.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { AuditBackup, backUpAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { isTaken } from '../../platform/db/database-errors.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { newTokenId } from '../../platform/ids.ts';
import { enqueue, exponentialBackoff, type JobHandler, type NewJob } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import {
  type Anchor,
  type AuditLogRow,
  cutChain,
  findAnchor,
  fits,
  recordAudit,
  startOfChain,
} from '../audit/index.ts';
import {
  type BackupRow,
  backupArea,
  findLastBackup,
  findLastToDelete,
  insertBackup,
  markDeleted,
} from './backup-queries.ts';
import { type BackupStatement, signStatement } from './backup-statement.ts';
import { countAll, dayMs } from './count-rows.ts';
import { listRowsBehind } from './queries.ts';
import { readSettings } from './settings.ts';
import { toBackupView } from './views.ts';

const mostRows = 200_000;
const rowsAtOnce = 1000;

type Backing = Pick<Server, 'database' | 'clock' | 'objects' | 'signing'>;
type Part = { readonly tenantId: Key; readonly from: Anchor; readonly before: Time };

export async function backUpLogs(
  server: Backing,
  call: Call,
  { retentionDays, deleteAfterBackup }: BodyOf<typeof backUpAuditLogs>,
): Promise<{ backup: AuditBackup | null; complete: boolean }> {
  const { db } = server.database;
  const { tenantId } = call.actor;
  const days = retentionDays ?? (await readSettings(db, tenantId)).retentionDays;
  const last = await findLastBackup(db, tenantId);
  const from = { position: last?.last_position ?? 0, hash: last?.last_hash ?? startOfChain };
  const part = { tenantId, from, before: server.clock.now() - days * dayMs };
  if (!(await hasRows(db, part))) {
    if (last !== null && deleteAfterBackup && last.deleted === 0) await deleteBackedUp(server, call, last);
    return { backup: null, complete: true };
  }
  const file = await writeFile(server, part);
  const backup = await keep(server, call, { file, deleteAfterBackup }).catch(async error => {
    // After any other error the commit is uncertain, and this may be the only copy of rows that will be deleted.
    if (!isTaken(error)) throw error;
    await server.objects.delete(file.object_key);
    throw madeByAnother();
  });
  return { backup: toBackupView(backup), complete: !(await hasRows(db, { ...part, from: toEnd(backup) })) };
}

const madeByAnother = () =>
  new ApiError('CONFLICT', 'another backup of these rows ran at the same time: list the backups');

const toEnd = (backup: Pick<BackupRow, 'last_position' | 'last_hash'>): Anchor => ({
  position: backup.last_position,
  hash: backup.last_hash,
});

async function hasRows(db: Db, { tenantId, from, before }: Part): Promise<boolean> {
  const [first] = await listRowsBehind(db, tenantId, from.position, 1);
  return first !== undefined && first.operation_time < before;
}

/** Up to the first row that is too recent, or as many as fit one file. */
async function* readRows(db: Db, { tenantId, from, before }: Part): AsyncGenerator<readonly AuditLogRow[]> {
  let anchor = from;
  while (anchor.position < from.position + mostRows) {
    const rows = await listRowsBehind(db, tenantId, anchor.position, rowsAtOnce);
    const young = rows.findIndex(row => row.operation_time >= before);
    const old = young === -1 ? rows : rows.slice(0, young);
    for (const row of old) {
      if (!fits(anchor, tenantId, row)) throw await toRejection(db, tenantId, { from, anchor });
      anchor = row;
    }
    yield old;
    if (old.length < rowsAtOnce) return;
  }
}

/** Rows that another backup took and deleted meanwhile are legitimately missing. */
async function toRejection(
  db: Db,
  tenantId: Key,
  { from, anchor }: { from: Anchor; anchor: Anchor },
): Promise<ApiError> {
  const last = await findLastBackup(db, tenantId);
  if (last !== null && last.last_position > from.position) return madeByAnother();
  return new ApiError(
    'UNPROCESSABLE',
    `the hash chain of the audit log is broken at row ${anchor.position + 1}; nothing was backed up`,
  );
}

const toLine = ({ id: _id, tenant_id: _tenant, hash, repeated, ...row }: AuditLogRow, previous_hash: string): string =>
  `${JSON.stringify({ ...row, previous_hash, hash, repeated })}\n`;

type Written = Omit<BackupRow, 'id' | 'deleted'>;

async function writeFile(server: Backing, part: Part): Promise<Written> {
  const { objects, clock, database } = server;
  const hash = createHash('sha256');
  let end = part.from;
  let signed: Awaited<ReturnType<typeof signStatement>> | undefined;
  async function* write() {
    for await (const rows of readRows(database.db, part)) {
      const { hash: before } = end;
      const lines = rows.map((row, at) => toLine(row, rows[at - 1]?.hash ?? before)).join('');
      hash.update(lines);
      end = rows.at(-1) ?? end;
      yield lines;
    }
    signed = await signStatement(server, toStatement(part, end, hash.digest('hex'), clock.now()));
    yield `{"statement":${signed.statement},"jws":"${signed.jws}"}\n`;
  }
  const key = `${backupArea}${part.tenantId}/${part.from.position + 1}-${newTokenId()}.ndjson.gz`;
  const { size, sha256 } = await objects.put(key, Readable.from(write()).compose(createGzip()));
  if (signed === undefined) throw new Error(`internal: the backup ${key} ended before it was signed`);
  if ((await objects.digest(key)).sha256 !== sha256)
    throw new Error(`the stored backup ${key} differs from what was written: check the object store`);
  return {
    tenant_id: part.tenantId,
    first_position: part.from.position + 1,
    last_position: end.position,
    last_hash: end.hash,
    digest: signed.digest,
    file_size: size,
    object_key: key,
    statement: signed.statement,
    jws: signed.jws,
    created_at: clock.now(),
  };
}

const toStatement = ({ tenantId, from }: Part, end: Anchor, digest: string, now: Time): BackupStatement => ({
  tenantId,
  firstPosition: from.position + 1,
  lastPosition: end.position,
  previousHash: from.hash,
  lastHash: end.hash,
  digest: `sha256:${digest}`,
  createdAt: now,
});

type Keeping = { readonly file: Written; readonly deleteAfterBackup: boolean };

function keep({ database, clock }: Backing, call: Call, { file, deleteAfterBackup }: Keeping): Promise<BackupRow> {
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const backup = await insertBackup(tx, { ...file, deleted: 0 });
    const { first_position: first, last_position: last } = file;
    const description = `rows ${first} to ${last} of the audit log backed up${deleteAfterBackup ? ', to be deleted' : ''}`;
    const param = {
      backupId: backup.id,
      first,
      last,
      lastHash: file.last_hash,
      digest: file.digest,
      deleteAfterBackup,
    };
    await recordAudit(tx, call, now, 'audit.backup-logs', description, param);
    if (!deleteAfterBackup) return backup;
    await markDeleted(tx, file.tenant_id);
    await enqueue(tx, toCutJob(file.tenant_id), now);
    return { ...backup, deleted: 1 };
  });
}

/** Deletes rows that earlier backups have, without a new backup. */
function deleteBackedUp({ database, clock }: Backing, call: Call, last: BackupRow): Promise<void> {
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    await markDeleted(tx, last.tenant_id);
    const description = `rows up to ${last.last_position} of the audit log, backed up before, are to be deleted`;
    await recordAudit(tx, call, now, 'audit.delete-backed-up-logs', description, { through: last.last_position });
    await enqueue(tx, toCutJob(last.tenant_id), now);
  });
}

const cutJobKind = 'audit-review.cut';
const cutAtOnce = 5000;

export const toCutJob = (tenantId: Key): NewJob => ({
  kind: cutJobKind,
  uniqueKey: `${tenantId}`,
  payload: { tenantId },
});

/**
 * Deletes rows that backups contain, a few thousand per transaction. A waiting job also covers later requests: it reads
 * the target position when it runs.
 */
export const cutJob = (server: Pick<Server, 'database'>): JobHandler => ({
  kind: cutJobKind,
  leaseSeconds: 60,
  maxAttempts: 10,
  backoffSeconds: exponentialBackoff(2, 300),
  run: async ({ payload, signal, assertFence }) => {
    const { db } = server.database;
    const tenantId = payload.tenantId as Key;
    const through = (await findLastToDelete(db, tenantId))?.last_position ?? 0;
    await countAll(server, tenantId, signal); // deleted rows cannot be counted any more
    let { position } = await findAnchor(db, tenantId);
    while (position < through) {
      signal.throwIfAborted(); // the next worker continues
      const cut = await db.transaction().execute(async tx => {
        await assertFence(tx);
        return cutChain(tx, tenantId, through, cutAtOnce);
      });
      if (cut <= position) throw new Error(`the audit log lacks a row behind ${position} that was backed up`);
      position = cut;
    }
  },
});
