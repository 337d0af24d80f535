// One-time codes of an app (TOTP) as second factor: set up during a sign-in or for the own account, and removed.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { challengeToken, duringSignIn, newSession, ofOwnAccount, recoveryCodes, totpCode } from './factor-proofs.ts';

const newTotp = z.object({
  secret: z.string().meta({ description: 'base32, to be typed into an app' }),
  uri: z.string().meta({ description: 'otpauth://…, to be shown as QR code' }),
});
export type NewTotp = z.infer<typeof newTotp>;

export const beginEnrolment = endpoint('beginEnrolment', {
  ...duringSignIn,
  route: 'POST /api/v1/auth/enrolment',
  summary: 'Begin to set up one-time codes as the required second factor during a sign-in',
  description:
    'With the challenge of a sign-in that ended with 20009, within 15 minutes. It ends once the account has a factor.',
  body: z.object({ challenge: challengeToken }),
  answer: newTotp,
  errors: ['CHALLENGE_EXPIRED'],
});

export const completeEnrolment = endpoint('completeEnrolment', {
  ...duringSignIn,
  route: 'POST /api/v1/auth/enrolment/confirm',
  summary: 'Confirm the second factor with a code, and sign in',
  body: z.object({ challenge: challengeToken, code: totpCode }),
  answer: newSession.extend({ recoveryCodes }),
  errors: ['SECOND_FACTOR_ERROR', 'CHALLENGE_EXPIRED', 'USER_ACCOUNT_LOCKED'],
});

export const beginTotp = endpoint('beginTotp', {
  ...ofOwnAccount,
  route: 'POST /api/v1/auth/totp',
  summary: 'Begin to set up an app for one-time codes',
  description: 'It counts once a code of it has been confirmed. An app that is in use goes on until then.',
  stepUp: true,
  answer: newTotp,
});

export const confirmTotp = endpoint('confirmTotp', {
  ...ofOwnAccount,
  route: 'POST /api/v1/auth/totp/confirm',
  summary: 'Confirm the app for one-time codes with a code',
  body: z.object({ code: totpCode }),
  answer: z.object({
    recoveryCodes: recoveryCodes.nullable().meta({ description: 'with the first factor; else those so far go on' }),
  }),
  errors: ['SECOND_FACTOR_ERROR'],
});

export const removeTotp = endpoint('removeTotp', {
  ...ofOwnAccount,
  route: 'DELETE /api/v1/auth/totp',
  summary: 'Remove the app for one-time codes',
  stepUp: true,
  errors: ['NOT_FOUND', 'CONFLICT'],
});
