// An administrator invites a person: by a link that is answered once, or by a mail that carries it.

import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { createInvitation as contract } from '@recordproof/shared/api/invitations.ts';
import type { Call } from '../../platform/call.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { findAccountByEmail } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { digestSecret, newSecret, newSelector, toLink } from './codes.ts';
import { type InvitationRow, insertInvitation } from './queries.ts';
import { invitationMailKind } from './send-invitation.ts';

type Needed = Pick<Server, 'database' | 'clock' | 'keys' | 'config' | 'baseUrl'>;
type Created = { readonly row: InvitationRow; readonly link: string | null };

export async function createInvitation(
  { database, clock, keys, config, baseUrl }: Needed,
  call: Call,
  { email, role, expiresInHours }: BodyOf<typeof contract>,
): Promise<Created> {
  const { tenantId, userId } = call.actor;
  if (config.accounts.registration.mode === 'closed')
    throw new ApiError(
      'CONFLICT',
      'accounts.registration is "closed": create the account, or change the setting first',
    );
  const [selector, secret] = [newSelector(), newSecret()];
  const now = clock.now();
  return database.db.transaction().execute(async tx => {
    const holder = email === undefined ? null : await findAccountByEmail(tx, email);
    if (holder?.tenant_id === tenantId) throw new ApiError('USER_HAS_EXISTED');
    const row = await insertInvitation(tx, {
      tenant_id: tenantId,
      selector,
      secret_digest: email === undefined ? digestSecret(keys.pepper, selector, secret) : null,
      email: email ?? null,
      role,
      created_by: userId,
      created_at: now,
      expires_at: now + expiresInHours * 3_600_000,
    });
    if (email !== undefined) await enqueue(tx, { kind: invitationMailKind, payload: { invitationId: row.id } }, now);
    const invited = email === undefined ? 'a person by link' : email;
    const param = { invitationId: row.id, email: email ?? null, role, expiresInHours };
    await recordAudit(tx, call, now, 'invitations.create', `${invited} invited as ${role}`, param);
    return { row, link: email === undefined ? toLink(baseUrl(), selector, secret) : null };
  });
}
