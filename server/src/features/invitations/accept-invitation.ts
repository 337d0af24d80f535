// Accepting an invitation: opens the account, in the transaction that consumes the invitation.

import type { Role } from '@recordproof/shared/api/auth.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { acceptInvitation as contract } from '@recordproof/shared/api/invitations.ts';
import { callAs, type Origin } from '../../platform/call.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, createAccount } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { checkInvited, withMailCode } from '../auth/index.ts';
import { getPresented, invalidInvitation, type PresentedInvitation } from './codes.ts';
import { setInvitationAccount, takeInvitation } from './queries.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'passwords' | 'config'>;
type Body = BodyOf<typeof contract>;

export async function acceptInvitation(server: Dependencies, origin: Origin, body: Body): Promise<AccountRow> {
  const { database, clock, keys, passwords, config } = server;
  checkInvited(config.accounts.registration);
  const presented = await getPresented(database.db, keys.pepper, body.invitation, clock.now());
  const email = getEmail(presented, body);
  const { code } = body;
  if (presented.row.email === null && code === undefined)
    throw new ApiError('PARAM_NOT_COMPLETE', 'code is missing: request one for the address first');
  const passwordHash = await passwords.hash(body.password, origin.ip);
  const opening = { presented, body, email, passwordHash, now: clock.now() };
  return presented.row.email === null
    ? withMailCode(server, { email, type: 'register', code: code ?? '' }, tx => openAccount(tx, origin, opening))
    : database.db.transaction().execute(tx => openAccount(tx, origin, opening));
}

/** A mailed invitation fixes the address: receiving it proves the address. */
function getEmail({ row }: PresentedInvitation, { email }: Body): string {
  if (row.email === null && email === undefined) throw new ApiError('PARAM_NOT_COMPLETE', 'email is missing');
  if (row.email !== null && email !== undefined && email !== row.email)
    throw new ApiError('BAD_REQUEST', `the invitation is for ${row.email}: leave email out`);
  return row.email ?? email ?? '';
}

type Opening = {
  readonly presented: PresentedInvitation;
  readonly body: Body;
  readonly email: string;
  readonly passwordHash: string;
  readonly now: number;
};

async function openAccount(tx: Tx, origin: Origin, opening: Opening): Promise<AccountRow> {
  const { presented, body, email, passwordHash, now } = opening;
  const { id, tenant_id: tenantId, role } = presented.row;
  if (!(await takeInvitation(tx, id, presented.digest, now))) throw invalidInvitation();
  const { username, nickname } = body;
  const request = { tenantId, username, email, nickname, role: role as Role, passwordHash };
  const account = await createAccount(tx, origin, request, now);
  await setInvitationAccount(tx, id, account.id);
  const call = callAs(origin, { tenantId, userId: account.id, username });
  await recordAudit(tx, call, now, 'invitations.accept', `invitation accepted by ${username}`, {
    invitationId: id,
    role,
  });
  return account;
}
