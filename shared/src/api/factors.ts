// Second factors: one-time codes (TOTP), passkeys, recovery codes, requirements by role, and step-up.
import { z } from 'zod';
import { roles } from './auth.ts';
import { isoTime, pageOf, pageQuery, plainText, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

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

const challengeToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be the challenge from the rejected sign-in');

const session = z.object({ token: z.string(), expiresIn: z.int().positive() });
const newTotp = z.object({
  secret: z.string().meta({ description: 'base32, to be typed into an app' }),
  uri: z.string().meta({ description: 'otpauth://…, to be shown as QR code' }),
});
export type NewTotp = z.infer<typeof newTotp>;
const recoveryCodes = z.array(z.string()).meta({ description: 'each works once; not shown again' });

/** `data` of a rejected sign-in. */
export const pendingSignIn = z.object({
  challenge: challengeToken,
  factors: z.array(z.enum(secondFactors)),
  expiresIn: z.int(),
});
export type PendingSignIn = z.infer<typeof pendingSignIn>;

export const giveSecondFactor = endpoint('giveSecondFactor', {
  isAllowedInMaintenance: true,
  feature: 'auth',
  method: 'POST',
  path: '/api/v1/auth/second-factor',
  summary: 'Complete a sign-in with the second factor',
  description:
    'With the challenge of a sign-in that ended with 20008, from the same address, within five minutes and five tries. Wrong codes count like wrong passwords.',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({ challenge: challengeToken, proof: secondFactorProof }),
  answer: session,
  errors: ['SECOND_FACTOR_ERROR', 'CHALLENGE_EXPIRED', 'USER_ACCOUNT_LOCKED', 'USER_ACCOUNT_FORBIDDEN'],
});

export const beginEnrolment = endpoint('beginEnrolment', {
  isAllowedInMaintenance: true,
  feature: 'auth',
  method: 'POST',
  path: '/api/v1/auth/enrolment',
  summary: 'Begin to set up one-time codes as the required second factor during a sign-in',
  description:
    'With the challenge of a sign-in that ended with 20009, within 15 minutes. It ends once the account has a factor.',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({ challenge: challengeToken }),
  answer: newTotp,
  errors: ['CHALLENGE_EXPIRED'],
});

export const completeEnrolment = endpoint('completeEnrolment', {
  isAllowedInMaintenance: true,
  feature: 'auth',
  method: 'POST',
  path: '/api/v1/auth/enrolment/confirm',
  summary: 'Confirm the second factor with a code, and sign in',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({ challenge: challengeToken, code: totpCode }),
  answer: session.extend({ recoveryCodes }),
  errors: ['SECOND_FACTOR_ERROR', 'CHALLENGE_EXPIRED', 'USER_ACCOUNT_LOCKED'],
});

const passkeyName = plainText(50);
const passkeyOptions = z.object({
  options: z.record(z.string(), z.unknown()).meta({ description: 'for PublicKeyCredential.parse…OptionsFromJSON()' }),
});

export const beginPasskeyEnrolment = endpoint('beginPasskeyEnrolment', {
  isAllowedInMaintenance: true,
  feature: 'auth',
  method: 'POST',
  path: '/api/v1/auth/enrolment/passkey',
  summary: 'Begin to set up a passkey as the required second factor during a sign-in: options for the browser',
  description: 'With the challenge of a sign-in that ended with 20009. The authenticator has to verify its user.',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({ challenge: challengeToken }),
  answer: passkeyOptions,
  errors: ['CHALLENGE_EXPIRED', 'CONFLICT'],
});

export const completePasskeyEnrolment = endpoint('completePasskeyEnrolment', {
  isAllowedInMaintenance: true,
  feature: 'auth',
  method: 'POST',
  path: '/api/v1/auth/enrolment/passkey/confirm',
  summary: 'Add the passkey that the browser has made, and sign in',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({
    challenge: challengeToken,
    name: passkeyName.optional().meta({ description: 'by default program and system, as "Firefox, Linux"' }),
    credential: passkeyAttestation,
  }),
  answer: session.extend({ recoveryCodes }),
  errors: ['PASSKEY_ERROR', 'CHALLENGE_EXPIRED', 'CONFLICT'],
});

export const stepUp = endpoint('stepUp', {
  feature: 'auth',
  method: 'POST',
  path: '/api/v1/auth/step-up',
  summary: 'Give a factor again, for the acts that need a fresh one',
  description:
    'After 70007. The second factor of the account, or its password where it has none. It counts for ten minutes in this session. A session that began at a provider can also sign in there again (startProviderStepUp).',
  access: 'signed-in',
  rate: 'auth',
  body: z.object({
    proof: z.discriminatedUnion('kind', [
      ...secondFactorProof.options,
      z.object({ kind: z.literal('password'), password: z.string().min(1).max(128) }),
    ]),
  }),
  answer: z.object({ freshUntil: isoTime }),
  errors: ['SECOND_FACTOR_ERROR', 'USER_LOGIN_ERROR', 'USER_ACCOUNT_LOCKED'],
});

const factors = z.object({
  totp: z.object({ since: isoTime }).nullable(),
  recoveryCodesLeft: z.int(),
});

const passkey = z.object({
  id: recordId,
  name: z.string(),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
});
export type Passkey = z.infer<typeof passkey>;

export const ownFactors = endpoint('ownFactors', {
  feature: 'factors',
  method: 'GET',
  path: '/api/v1/auth/factors',
  summary: 'Factors of the own account, and whether a second one is required',
  access: 'signed-in',
  rate: 'auth',
  answer: factors.extend({
    passkeys: z.array(passkey),
    passkeysWork: z
      .boolean()
      .meta({ description: 'the public address of the server has a name that passkeys can be bound to' }),
    required: z.boolean(),
    enrolBy: isoTime.nullable().meta({ description: 'from then on, signing in leads to setting one up' }),
  }),
});

export const beginTotp = endpoint('beginTotp', {
  feature: 'factors',
  method: 'POST',
  path: '/api/v1/auth/totp',
  summary: 'Begin to set up an app for one-time codes',
  description: 'It counts once a code of it has been confirmed. An app that is in use goes on until then.',
  access: 'signed-in',
  rate: 'auth',
  stepUp: true,
  answer: newTotp,
});

export const confirmTotp = endpoint('confirmTotp', {
  feature: 'factors',
  method: 'POST',
  path: '/api/v1/auth/totp/confirm',
  summary: 'Confirm the app for one-time codes with a code',
  access: 'signed-in',
  rate: 'auth',
  body: z.object({ code: totpCode }),
  answer: z.object({
    recoveryCodes: recoveryCodes.nullable().meta({ description: 'with the first factor; else those so far go on' }),
  }),
  errors: ['SECOND_FACTOR_ERROR'],
});

export const removeTotp = endpoint('removeTotp', {
  feature: 'factors',
  method: 'DELETE',
  path: '/api/v1/auth/totp',
  summary: 'Remove the app for one-time codes',
  access: 'signed-in',
  rate: 'auth',
  stepUp: true,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

const passkeys = '/api/v1/auth/passkeys';

export const beginPasskey = endpoint('beginPasskey', {
  feature: 'factors',
  method: 'POST',
  path: `${passkeys}/registration`,
  summary: 'Begin to add a passkey: options for the browser',
  access: 'signed-in',
  rate: 'auth',
  stepUp: true,
  answer: passkeyOptions,
  errors: ['CONFLICT'],
});

export const addPasskey = endpoint('addPasskey', {
  feature: 'factors',
  method: 'POST',
  path: passkeys,
  summary: 'Add the passkey that the browser has made',
  description: 'Within five minutes. Administrators need one that verifies its user.',
  access: 'signed-in',
  rate: 'auth',
  body: z.object({ name: passkeyName, credential: passkeyAttestation }),
  answer: z.object({
    passkey,
    recoveryCodes: recoveryCodes.nullable().meta({ description: 'with the first factor; else those so far go on' }),
  }),
  errors: ['PASSKEY_ERROR', 'CONFLICT'],
});

export const renamePasskey = endpoint('renamePasskey', {
  feature: 'factors',
  method: 'PUT',
  path: `${passkeys}/{id}`,
  summary: 'Rename a passkey',
  access: 'signed-in',
  rate: 'auth',
  params: z.object({ id: recordId }),
  body: z.object({ name: passkeyName }),
  answer: passkey,
  errors: ['NOT_FOUND'],
});

export const removePasskey = endpoint('removePasskey', {
  feature: 'factors',
  method: 'DELETE',
  path: `${passkeys}/{id}`,
  summary: 'Remove a passkey',
  access: 'signed-in',
  rate: 'auth',
  stepUp: true,
  params: z.object({ id: recordId }),
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const passkeySignInOptions = endpoint('passkeySignInOptions', {
  isAllowedInMaintenance: true,
  feature: 'factors',
  method: 'POST',
  path: `${passkeys}/options`,
  summary: 'Options for using a passkey: to sign in, as second factor, or for a step-up',
  description:
    'The browser offers the passkeys that it has for this server. The challenge is good once, for five minutes.',
  access: 'anonymous',
  rate: 'auth',
  answer: passkeyOptions,
  errors: ['CONFLICT'],
});

export const signInWithPasskey = endpoint('signInWithPasskey', {
  isAllowedInMaintenance: true,
  feature: 'auth',
  method: 'POST',
  path: `${passkeys}/sign-in`,
  summary: 'Sign in with a passkey alone',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({ credential: passkeyAssertion }),
  answer: session,
  errors: ['PASSKEY_ERROR', 'USER_ACCOUNT_FORBIDDEN', 'LOCAL_SIGN_IN_DISABLED'],
});

export const renewRecoveryCodes = endpoint('renewRecoveryCodes', {
  feature: 'factors',
  method: 'POST',
  path: '/api/v1/auth/recovery-codes',
  summary: 'Ten new recovery codes; older ones no longer work',
  access: 'signed-in',
  rate: 'auth',
  stepUp: true,
  answer: z.object({ recoveryCodes }),
  errors: ['CONFLICT'],
});

const userFactors = factors.extend({
  passkeys: z.int(),
  id: recordId,
  username: z.string(),
  role: z.enum(roles),
  required: z.boolean(),
});
export type UserFactors = z.infer<typeof userFactors>;

export const listUserFactors = endpoint('listUserFactors', {
  feature: 'factors',
  method: 'GET',
  path: '/api/v1/system/permissions/factors',
  summary: 'List which factors the accounts of the tenant have',
  access: 'system:admin',
  rate: 'other',
  query: pageQuery(['username']).extend({
    keyword: z.string().max(100).optional().meta({ description: 'part of user name, e-mail or nickname' }),
  }),
  answer: pageOf(userFactors),
});

export const getUserFactors = endpoint('getUserFactors', {
  feature: 'factors',
  method: 'GET',
  path: '/api/v1/system/permissions/users/{id}/factors',
  summary: 'Factors of an account of the tenant',
  access: 'system:admin',
  rate: 'other',
  params: z.object({ id: recordId }),
  answer: userFactors,
  errors: ['USER_NOT_EXIST'],
});

export const resetUserFactors = endpoint('resetUserFactors', {
  feature: 'factors',
  method: 'DELETE',
  path: '/api/v1/system/permissions/users/{id}/factors',
  summary: 'Remove every second factor of an account; its sessions end',
  description: 'For an owner who has lost them. The password stays, and the owner is told by mail.',
  access: 'system:admin',
  tokenScope: 'none',
  rate: 'other',
  stepUp: true,
  params: z.object({ id: recordId }),
  query: z.object({ reason: z.string().max(256).optional() }),
  errors: ['USER_NOT_EXIST', 'CONFLICT'],
});

const requirement = z.object({
  roles: z.array(z.enum(roles)).max(roles.length).meta({ description: 'all three: the whole tenant' }),
  graceDays: z.int().min(0).max(90).meta({ description: 'from when a role was added, or the account was opened' }),
});
export type FactorRequirement = z.infer<typeof requirement>;

const requirementPath = '/api/v1/system/permissions/factor-requirement';

export const getFactorRequirement = endpoint('getFactorRequirement', {
  feature: 'factors',
  method: 'GET',
  path: requirementPath,
  summary: 'Which roles of the tenant need a second factor',
  access: 'system:admin',
  rate: 'other',
  answer: requirement,
});

export const putFactorRequirement = endpoint('putFactorRequirement', {
  feature: 'factors',
  method: 'PUT',
  path: requirementPath,
  summary: 'Require a second factor of roles of the tenant',
  description: 'After the grace period, signing in without one leads to setting one up and nowhere else.',
  access: 'system:admin',
  tokenScope: 'none',
  rate: 'other',
  stepUp: true,
  body: requirement,
  answer: requirement,
});
