// Second factors: completing a sign-in with one, step-up, the factors of the own account, recovery codes.
import { z } from 'zod';
import { isoTime } from './common.ts';
import { endpoint } from './endpoint.ts';
import {
  challengeToken,
  duringSignIn,
  newSession,
  ofOwnAccount,
  recoveryCodes,
  secondFactorProof,
  secondFactors,
} from './factor-proofs.ts';
import { passkey } from './passkeys.ts';

/** `data` of a rejected sign-in. */
export const pendingSignIn = z.object({
  challenge: challengeToken,
  factors: z.array(z.enum(secondFactors)),
  expiresIn: z.int(),
});
export type PendingSignIn = z.infer<typeof pendingSignIn>;

export const giveSecondFactor = endpoint('giveSecondFactor', {
  ...duringSignIn,
  route: 'POST /api/v1/auth/second-factor',
  summary: 'Complete a sign-in with the second factor',
  description:
    'With the challenge of a sign-in that ended with 20008, from the same address, within five minutes and five tries. Wrong codes count like wrong passwords.',
  body: z.object({ challenge: challengeToken, proof: secondFactorProof }),
  answer: newSession,
  errors: ['SECOND_FACTOR_ERROR', 'CHALLENGE_EXPIRED', 'USER_ACCOUNT_LOCKED', 'USER_ACCOUNT_FORBIDDEN'],
});

export const stepUp = endpoint('stepUp', {
  feature: 'auth',
  route: 'POST /api/v1/auth/step-up',
  summary: 'Confirm your identity again, for calls that need step-up (70007)',
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

export const heldFactors = z.object({
  totp: z.object({ since: isoTime }).nullable(),
  recoveryCodesLeft: z.int(),
});

export const ownFactors = endpoint('ownFactors', {
  ...ofOwnAccount,
  route: 'GET /api/v1/auth/factors',
  summary: 'Factors of the own account, and whether a second one is required',
  answer: heldFactors.extend({
    passkeys: z.array(passkey),
    passkeysWork: z
      .boolean()
      .meta({ description: 'the public address of the server has a name that passkeys can be bound to' }),
    required: z.boolean(),
    enrolBy: isoTime.nullable().meta({ description: 'from then on, signing in leads to setting one up' }),
  }),
});

export const renewRecoveryCodes = endpoint('renewRecoveryCodes', {
  ...ofOwnAccount,
  route: 'POST /api/v1/auth/recovery-codes',
  summary: 'Ten new recovery codes; older ones no longer work',
  stepUp: true,
  answer: z.object({ recoveryCodes }),
  errors: ['CONFLICT'],
});
