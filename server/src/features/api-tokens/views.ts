// Wire format of API tokens.
import type { ApiToken } from '@recordproof/shared/api/api-tokens.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { listUsernames } from '../accounts/index.ts';
import type { ApiTokenRow } from './queries.ts';

const stateOf = (row: ApiTokenRow, now: Time): ApiToken['state'] =>
  row.revoked_at !== null ? 'REVOKED' : row.expires_at <= now ? 'EXPIRED' : 'ACTIVE';

const split = (text: string): string[] => (text === '' ? [] : text.split(' '));

export async function toApiTokens(db: Db, tenantId: Key, rows: readonly ApiTokenRow[], now: Time): Promise<ApiToken[]> {
  const names = await listUsernames(db, tenantId, [...new Set(rows.map(row => row.created_by))]);
  return rows.map(row => ({
    id: toWireId(row.id),
    name: row.name,
    hint: row.hint,
    state: stateOf(row, now),
    scopes: split(row.scopes) as Permission[],
    folder: row.folder,
    addresses: split(row.addresses),
    createdAt: toIso(row.created_at),
    createdBy: names.get(row.created_by) ?? '',
    expiresAt: toIso(row.expires_at),
    lastUsedAt: row.last_used_at === null ? null : toIso(row.last_used_at),
    lastUsedFrom: row.last_used_from,
  }));
}
