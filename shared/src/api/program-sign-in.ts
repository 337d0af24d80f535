// Single sign-on of programs: through a browser on the same machine (loopback), or without a browser (device code).
import { z } from 'zod';
import { appHeaders, newSession } from './auth.ts';
import { isoTime } from './common.ts';
import { endpoint } from './endpoint.ts';
import {
  codeWithVerifier,
  loopbackTarget,
  providerParams,
  redirectTarget,
  secretText,
  signInProblems,
  singleSignOnPath,
} from './single-sign-on.ts';

const common = { feature: 'single-sign-on', access: 'anonymous' } as const;

export const startLoopbackSignIn = endpoint('startLoopbackSignIn', {
  isAllowedInMaintenance: true,
  ...common,
  route: `POST ${singleSignOnPath}/providers/{provider}/loopback`,
  summary: 'Begin a sign-in of a program that listens on a port of its own machine',
  description:
    'The program opens the address in the browser of the person. The browser comes back to ' +
    'http://127.0.0.1:<port>/?code=…&state=…, and the program exchanges the code with its verifier (PKCE, S256).',
  rate: 'other',
  params: providerParams,
  body: loopbackTarget,
  answer: redirectTarget.extend({ expiresIn: z.int().positive() }),
  errors: ['NOT_FOUND'],
});

export const continueSignIn = endpoint('continueSignIn', {
  ...common,
  route: `GET ${singleSignOnPath}/continue`,
  summary: 'Send the browser that a program has opened on to the provider',
  rate: 'other',
  query: z.object({ request: secretText }),
  answerForm: 'text',
});

export const exchangeSignInCode = endpoint('exchangeSignInCode', {
  isAllowedInMaintenance: true,
  ...common,
  route: `POST ${singleSignOnPath}/tokens`,
  summary: 'A session for the code that a loopback sign-in has brought',
  rate: 'other',
  body: codeWithVerifier,
  answer: newSession,
  errors: ['AUTH_CODE_ERROR'],
});

export const startDeviceSignIn = endpoint('startDeviceSignIn', {
  isAllowedInMaintenance: true,
  ...common,
  route: `POST ${singleSignOnPath}/providers/{provider}/devices`,
  summary: 'Begin a sign-in of a program without a browser',
  description: 'The person opens the address in any browser, enters the code and signs in through the provider.',
  rate: 'auth',
  params: providerParams,
  answer: z.object({
    deviceCode: z.string(),
    userCode: z.string(),
    url: z.url(),
    expiresIn: z.int().positive(),
    interval: z.int().positive().meta({ description: 'seconds between two polls' }),
  }),
  errors: ['NOT_FOUND'],
});

export const pollDeviceSignIn = endpoint('pollDeviceSignIn', {
  isAllowedInMaintenance: true,
  ...common,
  route: `POST ${singleSignOnPath}/devices/poll`,
  summary: 'Whether the person has signed in, and the session if so',
  rate: 'other',
  body: z.object({ deviceCode: secretText }),
  answer: z.discriminatedUnion('state', [
    z.object({ state: z.literal('waiting') }),
    z.object({ state: z.literal('rejected'), problem: z.enum(signInProblems) }),
    newSession.extend({ state: z.literal('signed-in') }),
  ]),
  errors: ['AUTH_CODE_ERROR'],
});

/** As typed: in any case, with or without the hyphen. */
export const userCode = z
  .string()
  .max(32)
  .transform(code => code.toUpperCase().replaceAll(/[\s-]/g, ''))
  .pipe(z.string().regex(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/, 'must be the 8 letters that the program shows'));

export const findDeviceSignIn = endpoint('findDeviceSignIn', {
  isAllowedInMaintenance: true,
  ...common,
  route: `POST ${singleSignOnPath}/devices/find`,
  summary: 'Which program waits with a device code',
  rate: 'auth',
  headers: appHeaders,
  body: z.object({ userCode }),
  answer: z.object({ provider: z.string(), title: z.string(), address: z.string(), startedAt: isoTime }),
  errors: ['AUTH_CODE_ERROR', 'FORBIDDEN'],
});

export const approveDeviceSignIn = endpoint('approveDeviceSignIn', {
  isAllowedInMaintenance: true,
  ...common,
  route: `POST ${singleSignOnPath}/devices/approve`,
  summary: 'Sign in through the provider for the program that waits with a device code',
  rate: 'auth',
  headers: appHeaders,
  body: z.object({ userCode }),
  answer: redirectTarget,
  errors: ['AUTH_CODE_ERROR', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
});
