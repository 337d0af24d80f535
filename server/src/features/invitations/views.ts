// State and wire format of invitations, without their codes.
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Invitation, InvitationState } from '@recordproof/shared/api/invitations.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { listUsernames } from '../accounts/index.ts';
import type { InvitationRow } from './queries.ts';

type Dates = Pick<InvitationRow, 'accepted_at' | 'revoked_at' | 'expires_at'>;

export function toInvitationState({ accepted_at, revoked_at, expires_at }: Dates, now: Time): InvitationState {
  if (accepted_at !== null) return 'ACCEPTED';
  if (revoked_at !== null) return 'REVOKED';
  return expires_at > now ? 'PENDING' : 'EXPIRED';
}

/** All of one tenant. */
export async function toInvitations(db: Db, rows: readonly InvitationRow[], now: Time): Promise<Invitation[]> {
  const ids = rows.flatMap(row => [row.created_by, ...(row.accepted_by === null ? [] : [row.accepted_by])]);
  const names = await listUsernames(db, rows[0]?.tenant_id ?? 0, [...new Set(ids)]);
  return rows.map(row => ({
    id: toWireId(row.id),
    email: row.email,
    role: row.role as Role,
    state: toInvitationState(row, now),
    createdBy: names.get(row.created_by) ?? '',
    createdAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
    acceptedAt: toIsoOrNull(row.accepted_at),
    acceptedBy: row.accepted_by === null ? null : (names.get(row.accepted_by) ?? null),
  }));
}
