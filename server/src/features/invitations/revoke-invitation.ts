// Revoking an invitation that was not accepted, by an administrator.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { findInvitation, type InvitationRow, setInvitationRevoked } from './queries.ts';

export const revokeInvitation = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  id: Key,
): Promise<InvitationRow> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    if (!(await findInvitation(tx, tenantId, id))) throw new ApiError('NOT_FOUND', 'there is no such invitation');
    const now = clock.now();
    const revoked = await setInvitationRevoked(tx, id, now);
    if (!revoked) return getUnrevocable(await findInvitation(tx, tenantId, id), id);
    const invited = revoked.email ?? 'a person by link';
    await recordAudit(tx, call, now, 'invitations.revoke', `invitation of ${invited} revoked`, { invitationId: id });
    return revoked;
  });

function getUnrevocable(row: InvitationRow | null, id: Key): InvitationRow {
  if (row && row.accepted_at === null) return row; // already revoked
  throw new ApiError('CONFLICT', `invitation ${id} was accepted: suspend or delete the account instead`);
}
