// Passkeys: set up during a sign-in or for the own account, rename, remove, and sign in with one alone.
import { z } from 'zod';
import { byId, isoTime, plainText, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import {
  challengeToken,
  duringSignIn,
  newSession,
  ofOwnAccount,
  passkeyAssertion,
  passkeyAttestation,
  recoveryCodes,
} from './factor-proofs.ts';

const passkeyName = plainText(50);
const passkeyOptions = z.object({
  options: z.record(z.string(), z.unknown()).meta({ description: 'for PublicKeyCredential.parse…OptionsFromJSON()' }),
});

export const passkey = z.object({
  id: recordId,
  name: z.string(),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
});
export type Passkey = z.infer<typeof passkey>;

export const beginPasskeyEnrolment = endpoint('beginPasskeyEnrolment', {
  ...duringSignIn,
  route: 'POST /api/v1/auth/enrolment/passkey',
  summary: 'Begin to set up a passkey as the required second factor during a sign-in: options for the browser',
  description: 'With the challenge of a sign-in that ended with 20009. The authenticator has to verify its user.',
  body: z.object({ challenge: challengeToken }),
  answer: passkeyOptions,
  errors: ['CHALLENGE_EXPIRED', 'CONFLICT'],
});

export const completePasskeyEnrolment = endpoint('completePasskeyEnrolment', {
  ...duringSignIn,
  route: 'POST /api/v1/auth/enrolment/passkey/confirm',
  summary: 'Add the passkey that the browser has made, and sign in',
  body: z.object({
    challenge: challengeToken,
    name: passkeyName.optional().meta({ description: 'by default program and system, as "Firefox, Linux"' }),
    credential: passkeyAttestation,
  }),
  answer: newSession.extend({ recoveryCodes }),
  errors: ['PASSKEY_ERROR', 'CHALLENGE_EXPIRED', 'CONFLICT'],
});

const passkeys = '/api/v1/auth/passkeys';

export const beginPasskey = endpoint('beginPasskey', {
  ...ofOwnAccount,
  route: `POST ${passkeys}/registration`,
  summary: 'Begin to add a passkey: options for the browser',
  stepUp: true,
  answer: passkeyOptions,
  errors: ['CONFLICT'],
});

export const addPasskey = endpoint('addPasskey', {
  ...ofOwnAccount,
  route: `POST ${passkeys}`,
  summary: 'Add the passkey that the browser has made',
  description: 'Within five minutes. Administrators need one that verifies its user.',
  body: z.object({ name: passkeyName, credential: passkeyAttestation }),
  answer: z.object({
    passkey,
    recoveryCodes: recoveryCodes.nullable().meta({ description: 'with the first factor; else those so far go on' }),
  }),
  errors: ['PASSKEY_ERROR', 'CONFLICT'],
});

export const renamePasskey = endpoint('renamePasskey', {
  ...ofOwnAccount,
  route: `PUT ${passkeys}/{id}`,
  summary: 'Rename a passkey',
  params: byId,
  body: z.object({ name: passkeyName }),
  answer: passkey,
  errors: ['NOT_FOUND'],
});

export const removePasskey = endpoint('removePasskey', {
  ...ofOwnAccount,
  route: `DELETE ${passkeys}/{id}`,
  summary: 'Remove a passkey',
  stepUp: true,
  params: byId,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const passkeySignInOptions = endpoint('passkeySignInOptions', {
  isAllowedInMaintenance: true,
  feature: 'factors',
  route: `POST ${passkeys}/options`,
  summary: 'Options for using a passkey: to sign in, as second factor, or for a step-up',
  description:
    'The browser offers the passkeys that it has for this server. The challenge is good once, for five minutes.',
  access: 'anonymous',
  rate: 'auth',
  answer: passkeyOptions,
  errors: ['CONFLICT'],
});

export const signInWithPasskey = endpoint('signInWithPasskey', {
  ...duringSignIn,
  route: `POST ${passkeys}/sign-in`,
  summary: 'Sign in with a passkey alone',
  body: z.object({ credential: passkeyAssertion }),
  answer: newSession,
  errors: ['PASSKEY_ERROR', 'USER_ACCOUNT_FORBIDDEN', 'LOCAL_SIGN_IN_DISABLED'],
});
