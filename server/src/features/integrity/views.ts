// Wire format of integrity checks and alerts.
import type { AlertType, IntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { listUsernames } from '../accounts/index.ts';
import { listFilesById } from '../files/index.ts';
import { hintFor } from './findings.ts';
import type { AlertRow } from './queries.ts';

/** Looks files and names up once for all rows. */
export async function toAlertViews(db: Db, tenantId: Key, rows: readonly AlertRow[]): Promise<IntegrityAlert[]> {
  if (rows.length === 0) return [];
  const found = await listFilesById(db, tenantId, [...new Set(rows.map(row => row.file_id))]);
  const files = new Map(found.map(file => [file.id, file]));
  const people = [...rows.flatMap(row => [row.acknowledged_by, row.resolved_by]), ...found.map(file => file.owner_id)];
  const names = await listUsernames(db, tenantId, [...new Set(people.filter(id => id !== null))]);
  const nameOf = (id: Key | null | undefined): string | null => (id ? (names.get(id) ?? null) : null);
  return rows.map(row => ({
    id: toWireId(row.id),
    fileId: toWireId(row.file_id),
    fileName: files.get(row.file_id)?.file_name ?? '',
    ownerName: nameOf(files.get(row.file_id)?.owner_id) ?? '',
    alertType: row.alert_type as AlertType,
    severity: row.severity as IntegrityAlert['severity'],
    status: row.status as IntegrityAlert['status'],
    evidence: JSON.parse(row.evidence) as Record<string, unknown>,
    actualHash: row.actual_hash,
    chainHash: row.chain_hash,
    repairHint: hintFor(row.alert_type as AlertType),
    acknowledgedBy: nameOf(row.acknowledged_by),
    acknowledgedAt: toIsoOrNull(row.acknowledged_at),
    resolvedBy: nameOf(row.resolved_by),
    resolvedAt: toIsoOrNull(row.resolved_at),
    resolution: row.resolution as IntegrityAlert['resolution'],
    note: row.note,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  }));
}

export async function toAlertView(db: Db, row: AlertRow): Promise<IntegrityAlert> {
  const [view] = await toAlertViews(db, row.tenant_id, [row]);
  return view as IntegrityAlert;
}
