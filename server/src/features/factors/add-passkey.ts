// Passkeys of the own account: add, rename, remove.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { PasskeyAttestation } from '@recordproof/shared/api/factor-proofs.ts';
import type { Passkey } from '@recordproof/shared/api/passkeys.ts';
import type { Call } from '../../platform/call.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { finishFactorRemoval, lockOwnAccount } from './enrol-totp.ts';
import { notifyOwner } from './notify-owner.ts';
import { deletePasskey, renameRow } from './passkey-queries.ts';
import {
  type AddedPasskey,
  newPasskeyOptions,
  type PasskeyOwner,
  type Registration,
  storePasskey,
  verifyRegistration,
} from './register-passkey.ts';
import { toPasskey } from './relying-party.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'baseUrl'>;

const toRegistration = ({ actor: { userId, role } }: Call): Registration => ({
  purpose: `add ${userId}`,
  mustVerifyUser: role === 'admin',
});

const toOwner = ({ actor }: Call): PasskeyOwner => ({
  id: actor.userId,
  tenant_id: actor.tenantId,
  external_id: actor.externalId,
  username: actor.username,
  nickname: actor.nickname,
  email: actor.email,
});

export const beginPasskey = (server: Dependencies, call: Call): Promise<{ options: Record<string, unknown> }> =>
  newPasskeyOptions(server, toOwner(call), toRegistration(call));

export async function addPasskey(
  server: Dependencies,
  call: Call,
  { name, credential }: { readonly name: string; readonly credential: PasskeyAttestation },
): Promise<AddedPasskey> {
  const { database, clock } = server;
  const verified = await verifyRegistration(server, credential, toRegistration(call));
  if (verified === null) throw new ApiError('PASSKEY_ERROR');
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const added = await storePasskey(tx, server, toOwner(call), { name, verified, now, language: call.language });
    await recordAudit(tx, call, now, 'factors.add-passkey', 'passkey added', { name });
    return added;
  });
}

const missing = (id: Key): ApiError =>
  new ApiError('NOT_FOUND', `this account has no passkey ${id}: list its passkeys`);

export const renamePasskey = (
  { database, clock }: Dependencies,
  call: Call,
  { id, name }: { readonly id: Key; readonly name: string },
): Promise<Passkey> =>
  database.db.transaction().execute(async tx => {
    const row = await renameRow(tx, toOwner(call), id, name);
    if (row === null) throw missing(id);
    await recordAudit(tx, call, clock.now(), 'factors.rename-passkey', 'passkey renamed', { name });
    return toPasskey(row);
  });

export async function removePasskey({ database, clock }: Dependencies, call: Call, id: Key): Promise<void> {
  await database.db.transaction().execute(async tx => {
    const now = clock.now();
    const account = await lockOwnAccount(tx, call);
    const row = await deletePasskey(tx, account, id);
    if (row === null) throw missing(id);
    await finishFactorRemoval(tx, account);
    await recordAudit(tx, call, now, 'factors.remove-passkey', 'passkey removed', { name: row.name });
    await notifyOwner(tx, { email: account.email, language: call.language }, 'passkey-removed', now);
  });
}
