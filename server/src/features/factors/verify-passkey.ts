// Passkey verification (WebAuthn): checks the browser's answer to a challenge against the stored public key. The
// authenticator's counter has to grow: otherwise the key was copied, and the answer is rejected, audited, and reported
// to the owner.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { PasskeyAssertion } from '@recordproof/shared/api/factor-proofs.ts';
import type { Call, Party } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, findAccount } from '../accounts/index.ts';
import { appendAudit } from '../audit/index.ts';
import { notifyOwner } from './notify-owner.ts';
import { findChallenge, newChallenge, readChallenge } from './passkey-challenge.ts';
import { findPasskey, moveCounter, type PasskeyRow, useChallenge } from './passkey-queries.ts';
import { findRelyingParty, type RelyingParty } from './relying-party.ts';

export type PasskeyServer = Pick<Server, 'keys' | 'baseUrl'>;

const purpose = 'use';

export function getRelyingParty({ baseUrl }: Pick<Server, 'baseUrl'>): RelyingParty {
  const found = findRelyingParty(baseUrl());
  if (found !== null) return found;
  throw new ApiError(
    'CONFLICT',
    'passkeys need a server with a name and https: set RECORDPROOF_PUBLIC_URL to its address',
  );
}

export async function passkeySignInOptions({
  clock,
  ...server
}: PasskeyServer & Pick<Server, 'clock'>): Promise<{ options: Record<string, unknown> }> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const challenge = newChallenge(server.keys.pepper, purpose, clock.now());
  const { id: rpID } = getRelyingParty(server);
  const options = await generateAuthenticationOptions({ rpID, challenge, userVerification: 'preferred' });
  return { options: { ...options } };
}

type Checked = { readonly credential: PasskeyAssertion; readonly row: PasskeyRow; readonly isAdministrator: boolean };

type Answered = { readonly counter: number; readonly isUserVerified: boolean };

/**
 * Returns null if signature, origin or challenge is wrong, or an administrator's authenticator did not verify the user.
 */
async function check(
  server: PasskeyServer,
  { credential, row, isAdministrator }: Checked,
  expectedChallenge: string,
): Promise<Answered | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { id, origin } = getRelyingParty(server);
  try {
    const { userHandle, ...response } = credential.response;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { ...response, ...(typeof userHandle === 'string' && { userHandle }) },
        clientExtensionResults: {},
      },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      // The counter is compared where it is stored: the library would report a copy as any other failure.
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        counter: 0,
      },
      requireUserVerification: isAdministrator,
    });
    const { newCounter: counter, userVerified: isUserVerified } = authenticationInfo;
    return verified ? { counter, isUserVerified } : null;
  } catch {
    return null; // the library throws on malformed input
  }
}

type Use = { readonly credential: PasskeyAssertion; readonly now: Time };

type UsedPasskey = { readonly account: AccountRow; readonly isUserVerified: boolean };

/** Returns the account of the passkey; null if it is rejected. Each challenge is valid once. */
export async function verifyPasskey(
  tx: Tx,
  server: PasskeyServer,
  call: Call<Party>,
  { credential, now }: Use,
): Promise<UsedPasskey | null> {
  const text = findChallenge(credential.response.clientDataJSON);
  const challenge = readChallenge(server.keys.pepper, purpose, text, now);
  const row = await findPasskey(tx, credential.id);
  const account = row === null ? null : await findAccount(tx, row.tenant_id, row.user_id);
  if (challenge === null || row === null || account === null) return null;
  const answered = await check(server, { credential, row, isAdministrator: account.role === 'admin' }, text);
  if (answered === null || !(await useChallenge(tx, challenge.digest, challenge.expiresAt))) return null;
  const { counter, isUserVerified } = answered;
  if (await moveCounter(tx, row, counter, now)) return { account, isUserVerified };
  const { id: userId, tenant_id: tenantId, username } = account;
  const description = 'passkey rejected: its counter has not grown, there may be a copy of it';
  const entry = {
    module: 'factors',
    operation: 'copied-passkey',
    description,
    param: { name: row.name },
    errorMessage: 'copied passkey',
  };
  await appendAudit(tx, { ...call, actor: { tenantId, userId, username } }, entry, now);
  await notifyOwner(tx, { email: account.email, language: call.language }, 'passkey-copied', now);
  return null;
}
