// The state of an invitation. Pure.
import type { InvitationState } from '@recordproof/shared/api/invitations.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { InvitationRow } from './queries.ts';

type Dates = Pick<InvitationRow, 'accepted_at' | 'revoked_at' | 'expires_at'>;

export function toInvitationState({ accepted_at, revoked_at, expires_at }: Dates, now: Time): InvitationState {
  if (accepted_at !== null) return 'ACCEPTED';
  if (revoked_at !== null) return 'REVOKED';
  return expires_at > now ? 'PENDING' : 'EXPIRED';
}
