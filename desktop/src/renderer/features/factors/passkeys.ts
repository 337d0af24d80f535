// Passkeys in a browser (WebAuthn). The desktop app has none: people sign in there by password and one-time code.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { PasskeyAssertion, PasskeyAttestation } from '@recordproof/shared/api/factor-proofs.ts';
import { passkeySignInOptions } from '@recordproof/shared/api/passkeys.ts';
import type { Bridge } from '../../../bridge/bridge.ts';

/** Browsers bind no passkey to a bare IP address. */
const isByAddress = (): boolean => /^[\d.]+$|:/.test(location.hostname);

export const canUsePasskeys = ({ shell }: Pick<Bridge, 'shell'>): boolean =>
  shell === null &&
  !isByAddress() &&
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Why this page takes no passkeys although the server does. */
export const needsName = ({ shell }: Pick<Bridge, 'shell'>): boolean => shell === null && isByAddress();

/** Cancelled by the person, or impossible on this page: the browser does not tell which. */
async function take(ask: () => Promise<Credential | null>): Promise<unknown> {
  const credential = await ask().catch(cause => {
    throw new ApiError('PASSKEY_ERROR', undefined, { cause });
  });
  if (!(credential instanceof PublicKeyCredential)) throw new ApiError('PASSKEY_ERROR');
  return credential.toJSON();
}

type Options = Readonly<Record<string, unknown>>;

export async function makePasskey(options: Options): Promise<PasskeyAttestation> {
  const json = options as object as PublicKeyCredentialCreationOptionsJSON;
  const made = await take(async () =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json) }),
  );
  return made as PasskeyAttestation;
}

/** The browser offers the passkeys that it has for this server. */
export async function givePasskey(call: Bridge['call']): Promise<PasskeyAssertion> {
  const { options } = await call(passkeySignInOptions);
  const json = options as object as PublicKeyCredentialRequestOptionsJSON;
  const credential = await take(async () =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(json) }),
  );
  return credential as PasskeyAssertion;
}
