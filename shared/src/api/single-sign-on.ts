// Single sign-on in a browser through OpenID Connect providers: sign-in, connections of the account, step-up, sign-out;
// and one-time links for locked-out administrators.
import { z } from 'zod';
import { appHeaders, newSession } from './auth.ts';
import { byId, isoTime } from './common.ts';
import { endpoint } from './endpoint.ts';

export const providerId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'must be 1 to 32 small letters, digits or hyphens');

export const singleSignOnPath = '/api/v1/auth/sso';
export const providerParams = z.object({ provider: providerId.meta({ examples: ['keycloak'] }) });
export const secretText = z.string().regex(/^[\w-]{43}$/, 'must be 43 characters of base64url');

/** Screens of the app to which a sign-in may return; the default is the first. */
const returnPaths = [
  'files', 'transfers', 'shares', 'messages', 'friends', 'announcements', 'tickets', 'verify', 'admin', 'account',
] as const; // biome-ignore format: a list of names

const returnPattern = new RegExp(`^(?:(?:${returnPaths.join('|')})(?:/[0-9A-Za-z_-]{1,64}){0,4})?$`);

/** Of the app, without `#/`. It names a screen, never a URL. */
export const returnPath = z
  .string()
  .max(300)
  .regex(returnPattern, 'must be the path of a screen of the app, such as files or admin/people');

/** Why a sign-in through a provider was rejected; the app shows a sentence for each. */
export const signInProblems = [
  'expired', 'other-browser', 'cancelled', 'provider', 'unreachable', 'not-admitted', 'email-unverified', 'email-taken',
  'no-account', 'suspended', 'wrong-tenant', 'weak-authentication', 'linked-elsewhere', 'session-ended', 'not-fresh',
  'other-person',
] as const; // biome-ignore format: a list of names
export type SignInProblem = (typeof signInProblems)[number];

export const redirectTarget = z.object({ url: z.url().meta({ description: 'where the browser goes next' }) });

export const listSignInProviders = endpoint('listSignInProviders', {
  feature: 'single-sign-on',
  route: `GET ${singleSignOnPath}/providers`,
  summary: 'How people may sign in at this server',
  access: 'anonymous',
  rate: 'other',
  answer: z.object({
    localSignIn: z.boolean().meta({ description: 'whether passwords of this server are good for signing in' }),
    providers: z.array(z.object({ id: z.string(), title: z.string() })),
  }),
});

export const startSignIn = endpoint('startSignIn', {
  isAllowedInMaintenance: true,
  feature: 'single-sign-on',
  route: `POST ${singleSignOnPath}/providers/{provider}/sign-ins`,
  summary: 'Begin a sign-in of this browser through a provider',
  description:
    'Sets a cookie that binds the sign-in to this browser for ten minutes, and tells where the browser goes.',
  access: 'anonymous',
  rate: 'other',
  headers: appHeaders,
  params: providerParams,
  body: z.object({
    stay: z.boolean().meta({ description: 'for 30 days of not being used; else until the browser is closed' }),
    returnTo: returnPath.default(''),
  }),
  answer: redirectTarget,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
});

export const signInCallback = endpoint('signInCallback', {
  feature: 'single-sign-on',
  route: `GET ${singleSignOnPath}/{provider}/callback`,
  summary: 'Where a provider sends the browser after a sign-in',
  description: 'Answers with a redirect to the app, or to the program that waits for the sign-in.',
  access: 'anonymous',
  rate: 'other',
  params: providerParams,
  query: z.object({
    code: z.string().max(4096).optional(),
    state: z.string().max(200).optional(),
    iss: z.string().max(500).optional(),
    error: z.string().max(200).optional(),
    error_description: z.string().max(2000).optional(),
  }),
  answerForm: 'text',
});

export const connectProvider = endpoint('connectProvider', {
  feature: 'single-sign-on',
  route: `POST ${singleSignOnPath}/providers/{provider}/connections`,
  stepUp: true,
  summary: 'Begin to connect a provider with the account that is signed in',
  access: 'signed-in',
  rate: 'other',
  headers: appHeaders,
  params: providerParams,
  answer: redirectTarget,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
});

const connection = z.object({
  id: z.string(),
  provider: z.string(),
  title: z.string(),
  connectedAt: isoTime,
  lastUsedAt: isoTime.nullable(),
  isOnly: z.boolean().meta({ description: 'the account was created by it and has no password: it cannot be removed' }),
});
export type Connection = z.infer<typeof connection>;

export const listConnections = endpoint('listConnections', {
  feature: 'single-sign-on',
  route: `GET ${singleSignOnPath}/connections`,
  summary: 'Providers that are connected with my account',
  access: 'signed-in',
  rate: 'other',
  answer: z.array(connection),
});

export const removeConnection = endpoint('removeConnection', {
  feature: 'single-sign-on',
  route: `DELETE ${singleSignOnPath}/connections/{id}`,
  summary: 'Remove a provider from my account',
  access: 'signed-in',
  rate: 'auth',
  params: byId,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const signOutAtProvider = endpoint('signOutAtProvider', {
  feature: 'single-sign-on',
  route: `GET ${singleSignOnPath}/sign-out`,
  summary: 'Where this session signs out at its provider',
  description: 'Null where the session did not begin at a provider, or the provider offers no sign-out.',
  access: 'signed-in',
  rate: 'auth',
  answer: z.object({ url: z.url().nullable() }),
});

export const loopbackTarget = z.object({
  port: z.int().min(1024).max(65_535),
  codeChallenge: secretText,
  state: secretText,
});
export const codeWithVerifier = z.object({ code: secretText, codeVerifier: z.string().regex(/^[\w.~-]{43,128}$/) });

export const startProviderStepUp = endpoint('startProviderStepUp', {
  feature: 'single-sign-on',
  route: `POST ${singleSignOnPath}/step-up`,
  summary: 'Begin to sign in again at the provider, for calls that need step-up (70007)',
  description:
    'After 70007 with "provider" among the factors. The provider has to ask the person again (prompt=login, max_age=0, auth_time). ' +
    'Without `loopback` the sign-in is bound to this browser by a cookie, and the session is fresh when it comes back; a program confirms with the code.',
  access: 'signed-in',
  rate: 'auth',
  headers: appHeaders,
  body: z.object({ loopback: loopbackTarget.optional() }),
  answer: redirectTarget.extend({ expiresIn: z.int().positive() }),
  errors: ['CONFLICT', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
});

export const finishProviderStepUp = endpoint('finishProviderStepUp', {
  feature: 'single-sign-on',
  route: `POST ${singleSignOnPath}/step-up/confirm`,
  summary: 'Make this session fresh with the code that a loopback sign-in has brought',
  access: 'signed-in',
  rate: 'auth',
  body: codeWithVerifier,
  answer: z.object({ freshUntil: isoTime }),
  errors: ['AUTH_CODE_ERROR'],
});

export const useSignInLink = endpoint('useSignInLink', {
  isAllowedInMaintenance: true,
  feature: 'single-sign-on',
  route: 'POST /api/v1/auth/sign-in-link',
  summary: 'Sign in with the one-time link of an administrator',
  description:
    'The command "recordproof-server admin sign-in-link" creates it. The browser keeps the session by a cookie.',
  access: 'anonymous',
  rate: 'auth',
  headers: appHeaders,
  body: z.object({ code: secretText }),
  answer: newSession,
  errors: ['AUTH_CODE_ERROR', 'FORBIDDEN'],
});
