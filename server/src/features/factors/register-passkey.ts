// Registration of a passkey (WebAuthn): options for the browser, the check of its answer, the row. The same for the own
// account and for a sign-in that has to set up a factor first.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { PasskeyAttestation } from '@recordproof/shared/api/factor-proofs.ts';
import type { Passkey } from '@recordproof/shared/api/passkeys.ts';
import type { Origin } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import type { AccountRow } from '../accounts/index.ts';
import { firstCodes } from './enrol-totp.ts';
import { notifyOwner } from './notify-owner.ts';
import { findChallenge, newChallenge, readChallenge } from './passkey-challenge.ts';
import { insertPasskey, listPasskeys, useChallenge } from './passkey-queries.ts';
import { lockFactors } from './queries.ts';
import { toPasskey } from './relying-party.ts';
import { getRelyingParty } from './verify-passkey.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'baseUrl'>;

export type PasskeyOwner = Pick<AccountRow, 'id' | 'tenant_id' | 'external_id' | 'username' | 'nickname' | 'email'>;

export type Registration = {
  /** The challenge counts for it alone. */
  readonly purpose: string;
  readonly mustVerifyUser: boolean;
};

const maxPerAccount = 20;
/** EdDSA, ES256, RS256: what authenticators have, without what the runtime calls experimental. */
const supportedAlgorithmIDs = [-8, -7, -257];

export async function newPasskeyOptions(
  server: Dependencies,
  owner: PasskeyOwner,
  { purpose, mustVerifyUser }: Registration,
): Promise<{ options: Record<string, unknown> }> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const { id: rpID } = getRelyingParty(server);
  const passkeys = await listPasskeys(server.database.db, owner);
  const options = await generateRegistrationOptions({
    rpName: 'RecordProof',
    rpID,
    userID: new Uint8Array(Buffer.from(owner.external_id)),
    userName: owner.username,
    userDisplayName: owner.nickname ?? owner.username,
    challenge: newChallenge(server.keys.pepper, purpose, server.clock.now()),
    attestationType: 'none',
    supportedAlgorithmIDs,
    excludeCredentials: passkeys.map(row => ({ id: row.credential_id })),
    authenticatorSelection: {
      residentKey: 'required',
      userVerification: mustVerifyUser ? 'required' : 'preferred',
    },
  });
  return { options: { ...options } };
}

type VerifiedPasskey = {
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly challenge: { readonly digest: string; readonly expiresAt: Time };
};

/** Null where the answer is not accepted, whatever the reason. */
export async function verifyRegistration(
  server: Dependencies,
  credential: PasskeyAttestation,
  { purpose, mustVerifyUser }: Registration,
): Promise<VerifiedPasskey | null> {
  const expectedChallenge = findChallenge(credential.response.clientDataJSON);
  const challenge = readChallenge(server.keys.pepper, purpose, expectedChallenge, server.clock.now());
  if (challenge === null) return null;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { id: expectedRPID, origin: expectedOrigin } = getRelyingParty(server);
  try {
    const { clientDataJSON, attestationObject } = credential.response;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: mustVerifyUser,
      supportedAlgorithmIDs,
    });
    if (!verified) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, challenge };
  } catch {
    return null; // the library throws on malformed input
  }
}

export type AddedPasskey = { readonly passkey: Passkey; readonly recoveryCodes: string[] | null };

type Stored = Pick<Origin, 'language'> & {
  readonly name: string;
  readonly verified: VerifiedPasskey;
  readonly now: Time;
};

/** Throws PASSKEY_ERROR for a challenge that was answered before, CONFLICT for one passkey too many or a known one. */
export async function storePasskey(
  tx: Tx,
  { keys }: Pick<Server, 'keys'>,
  owner: PasskeyOwner,
  { name, verified, now, language }: Stored,
): Promise<AddedPasskey> {
  const { id: credential_id, publicKey: public_key, counter, challenge } = verified;
  await lockFactors(tx, owner);
  if (!(await useChallenge(tx, challenge.digest, challenge.expiresAt))) throw new ApiError('PASSKEY_ERROR');
  if ((await listPasskeys(tx, owner)).length >= maxPerAccount)
    throw new ApiError('CONFLICT', `an account has at most ${maxPerAccount} passkeys; remove one first`);
  const values = { credential_id, public_key, counter, name, created_at: now, last_used_at: null };
  const row = await insertPasskey(tx, { tenant_id: owner.tenant_id, user_id: owner.id, ...values });
  if (row === null) throw new ApiError('CONFLICT', 'this passkey has been added already');
  await notifyOwner(tx, { email: owner.email, language }, 'passkey-added', now);
  return { passkey: toPasskey(row), recoveryCodes: await firstCodes(tx, keys.pepper, owner) };
}
