// SQL on backups of the audit log.
import type { Selectable } from 'kysely';
import { findPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { findFirst, insertReturning, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Tx } from '../../platform/db/tables.ts';
import type { PageSlice } from './queries.ts';

export type BackupRow = Selectable<Tables['audit_backup']>;

export const insertBackup = (tx: Tx, backup: Omit<BackupRow, 'id'>): Promise<BackupRow> =>
  insertReturning(tx, 'audit_backup', backup);

/** The prefix of backups in the object store. */
export const backupArea = 'audit-backups/';

/** Returns which of the objects are recorded as backups of any tenant. */
export async function listNotedBackups(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('audit_backup').select('object_key').where('object_key', 'in', keys).execute();
  return new Set(rows.map(row => row.object_key));
}

const backupsOf = (db: Db, tenantId: Key) => db.selectFrom('audit_backup').where('tenant_id', '=', tenantId);

export const findBackup = (db: Db, tenantId: Key, id: Key): Promise<BackupRow | null> =>
  findFirst(backupsOf(db, tenantId).selectAll().where('id', '=', id));

export const findLastBackup = (db: Db, tenantId: Key): Promise<BackupRow | null> =>
  findFirst(backupsOf(db, tenantId).selectAll().orderBy('first_position', 'desc').limit(1));

/** The newest backup whose rows were to be deleted. */
export const findLastToDelete = (db: Db, tenantId: Key): Promise<BackupRow | null> =>
  findFirst(backupsOf(db, tenantId).selectAll().where('deleted', '=', 1).orderBy('first_position', 'desc').limit(1));

export const listBackups = (db: Db, tenantId: Key): Promise<BackupRow[]> =>
  backupsOf(db, tenantId).selectAll().orderBy('first_position').execute();

export const findPageOfBackups = (db: Db, tenantId: Key, request: PageSlice): Promise<RowPage<BackupRow>> =>
  findPage(backupsOf(db, tenantId), request, backups =>
    backups.selectAll().orderBy('first_position', toOrder(request, { createdAt: 'created_at' }).direction),
  );

export const markDeleted = (tx: Tx, tenantId: Key): Promise<void> =>
  updateWhere(tx, 'audit_backup', { tenant_id: tenantId }, { deleted: 1 });
