// Creating invitations, with a link returned once, or with a mail that contains it; and revoking those that were not
// accepted. By administrators.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { createInvitation as contract } from '@recordproof/shared/api/invitations.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { findAccountByEmail } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { digestSecret, newSecret, newSelector, toLink } from './codes.ts';
import { invitationMailKind } from './jobs.ts';
import { findInvitation, type InvitationRow, insertInvitation, setInvitationRevoked } from './queries.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'config' | 'baseUrl'>;
type Created = { readonly row: InvitationRow; readonly link: string | null };

export async function createInvitation(
  server: Dependencies,
  call: Call,
  request: BodyOf<typeof contract>,
): Promise<Created> {
  const { database, clock, config } = server;
  if (config.accounts.registration.mode === 'closed')
    throw new ApiError(
      'CONFLICT',
      'accounts.registration is "closed": create the account, or change the setting first',
    );
  return database.db
    .transaction()
    .execute(tx => invite(tx, server, call, { ...request, createdBy: call.actor.userId }, clock.now()));
}

type Invited = BodyOf<typeof contract> & { readonly createdBy: Key };

/** Into the tenant of the call. */
export async function invite(
  tx: Tx,
  { keys, baseUrl }: Pick<Dependencies, 'keys' | 'baseUrl'>,
  call: Call<Party>,
  { email, role, expiresInHours, createdBy }: Invited,
  now: Time,
): Promise<Created> {
  const { tenantId } = call.actor;
  const [selector, secret] = [newSelector(), newSecret()];
  const holder = email === undefined ? null : await findAccountByEmail(tx, email);
  if (holder?.tenant_id === tenantId) throw new ApiError('USER_HAS_EXISTED');
  const row = await insertInvitation(tx, {
    tenant_id: tenantId,
    selector,
    secret_digest: email === undefined ? digestSecret(keys.pepper, selector, secret) : null,
    email: email ?? null,
    role,
    created_by: createdBy,
    created_at: now,
    expires_at: now + expiresInHours * 3_600_000,
  });
  const payload = { invitationId: row.id, language: call.language };
  if (email !== undefined) await enqueue(tx, { kind: invitationMailKind, payload }, now);
  const invited = email === undefined ? 'a person by link' : email;
  const param = { invitationId: row.id, email: email ?? null, role, expiresInHours };
  await recordAudit(tx, call, now, 'invitations.create', `${invited} invited as ${role}`, param);
  return { row, link: email === undefined ? toLink(baseUrl(), selector, secret) : null };
}

export const revokeInvitation = (
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  id: Key,
): Promise<InvitationRow> =>
  database.db.transaction().execute(async tx => {
    const { tenantId } = call.actor;
    if (!(await findInvitation(tx, tenantId, id)))
      throw new ApiError('NOT_FOUND', `there is no invitation ${id}: list the invitations to see their ids`);
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
