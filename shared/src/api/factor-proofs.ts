// Values of second factors: codes, passkey credentials, proofs and sign-in challenges; and what their endpoints have in
// common.
import { z } from 'zod';

/** With the challenge of a sign-in that has to go on. */
export const duringSignIn = {
  isAllowedInMaintenance: true,
  feature: 'auth',
  access: 'anonymous',
  rate: 'auth',
} as const;
export const ofOwnAccount = { feature: 'factors', access: 'signed-in', rate: 'auth' } as const;

export const totpCode = z.string().regex(/^[0-9]{6}$/, 'must be the 6 digits that the app shows');
export const recoveryCode = z
  .string()
  .max(40, 'is too long')
  .transform(code => code.replaceAll(/[\s-]+/g, '').toLowerCase())
  .pipe(z.string().regex(/^[a-z2-7]{16}$/, 'must be 16 letters and digits, as in abcd-efgh-ijkl-mnop'));

/** The kinds of second factors. */
export const secondFactors = ['totp', 'passkey', 'recovery-code'] as const;
export type SecondFactor = (typeof secondFactors)[number];

const binary = (maxCharacters: number) =>
  z
    .string()
    .max(maxCharacters, 'is too long')
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url');

const ofPasskey = {
  id: binary(1400),
  rawId: binary(1400),
  type: z.literal('public-key'),
};

/** The result of `PublicKeyCredential.toJSON()` for `navigator.credentials.get()`. */
export const passkeyAssertion = z
  .object({
    ...ofPasskey,
    response: z.object({
      clientDataJSON: binary(8192),
      authenticatorData: binary(8192),
      signature: binary(8192),
      userHandle: binary(200).nullish(),
    }),
  })
  .meta({ description: 'PublicKeyCredential.toJSON() of navigator.credentials.get()' });
export type PasskeyAssertion = z.output<typeof passkeyAssertion>;

export const passkeyAttestation = z
  .object({
    ...ofPasskey,
    response: z.object({
      clientDataJSON: binary(8192),
      attestationObject: binary(65_536),
      transports: z.array(z.string().max(32)).max(10).optional(),
    }),
  })
  .meta({ description: 'PublicKeyCredential.toJSON() of navigator.credentials.create()' });
export type PasskeyAttestation = z.output<typeof passkeyAttestation>;

export const secondFactorProof = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('totp'), code: totpCode }),
  z.object({ kind: z.literal('recovery-code'), code: recoveryCode }),
  z.object({ kind: z.literal('passkey'), credential: passkeyAssertion }),
]);
export type SecondFactorProof = z.output<typeof secondFactorProof>;

export const challengeToken = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the challenge from the rejected sign-in');

export const newSession = z.object({ token: z.string(), expiresIn: z.int().positive() });
export const recoveryCodes = z.array(z.string()).meta({ description: 'each works once; not shown again' });
