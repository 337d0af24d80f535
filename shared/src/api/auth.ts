// Authentication: sign-in and sign-out, registration, password reset, the first administrator.
import { z } from 'zod';
import { externalIdPattern, isoTime, plainText, recordId } from './common.ts';
import { endpoint, permissions } from './endpoint.ts';

export const roles = ['user', 'admin', 'monitor'] as const;
export type Role = (typeof roles)[number];

export const roleName = z.enum(roles, 'must be user, admin or monitor');
export const tenantName = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be 1 to 63 small letters, digits or hyphens');

export const username = z
  .string()
  .regex(
    /^[0-9A-Za-z_.\-\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{3,32}$/u,
    'must be 3 to 32 letters (Latin, Chinese, Japanese or Korean), digits, dots, hyphens or underscores',
  );
export const password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(128, 'must have at most 128 characters');
export const email = z.email('must be an e-mail address').max(254, 'is too long').toLowerCase();
/** Sign-in accepts more names than registration. */
export const loginName = z
  .string()
  .min(1, 'must not be empty')
  .max(254, 'is too long')
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters');
/** Copied from a terminal, it may contain spaces. */
export const setupCode = z
  .string()
  .max(64, 'is too long')
  .transform(code => code.replaceAll(/\s+/g, ''))
  .pipe(z.string().min(1, 'must not be empty'));
export const nickname = plainText(50);
export const mailCode = z.string().regex(/^[0-9]{6}$/, 'must be the 6 digits from the e-mail');
export const mailCodeTypes = ['register', 'reset', 'modify'] as const;
export type MailCodeType = (typeof mailCodeTypes)[number];

export const newSession = z.object({
  token: z.string().meta({ description: 'JWT, sent as Authorization: Bearer' }),
  expiresIn: z.int().positive().meta({ description: 'seconds until the token expires' }),
});

export const profile = z.object({
  externalId: z.string().regex(externalIdPattern),
  username: z.string(),
  signInName: z
    .string()
    .optional()
    .meta({ description: 'tenant/name, by which people of other tenants than the first sign in' }),
  email: z.string(),
  role: z.enum(roles),
  nickname: z.string().nullable(),
  avatar: z.string().nullable(),
  registerTime: isoTime,
  permissions: z.array(z.enum(permissions)),
});
export type Profile = z.infer<typeof profile>;

const actingToken = z.object({
  id: recordId,
  name: z.string(),
  folder: z.string().nullable().meta({ description: 'the folder that it is limited to' }),
  expiresAt: isoTime,
});

const common = { feature: 'auth', rate: 'auth' } as const;

export const login = endpoint('login', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'POST /api/v1/auth/login',
  aliases: ['/auth/login'],
  summary: 'Sign in with user name and password',
  description:
    'Five wrong passwords in a row lock the account for 15 minutes, apart for addresses that signed in to it before. ' +
    'While it is locked, the right password is answered like a wrong one.',
  access: 'anonymous',
  body: z.object({ username: loginName, password: z.string().min(1).max(128) }),
  answer: newSession,
  errors: ['USER_LOGIN_ERROR', 'USER_ACCOUNT_LOCKED', 'USER_ACCOUNT_FORBIDDEN', 'LOCAL_SIGN_IN_DISABLED'],
});

/** Who may register: everyone, invited people, people with certain mail domains, or no one. */
const registrationModes = ['open', 'invite', 'domains', 'closed'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** The part of an email address after the @. */
export const mailDomain = z
  .string()
  .toLowerCase()
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/, 'must be a domain such as example.org');

export const getRegistration = endpoint('getRegistration', {
  ...common,
  route: 'GET /api/v1/auth/registration',
  summary: 'Who may register at this server',
  access: 'anonymous',
  rate: 'other',
  answer: z.object({
    mode: z.enum(registrationModes),
    domains: z.array(z.string()).meta({ description: 'in mode domains: whose addresses may register' }),
  }),
});

export const register = endpoint('register', {
  ...common,
  route: 'POST /api/v1/auth/register',
  aliases: ['/auth/register'],
  summary: 'Open an account with the code from the e-mail',
  access: 'anonymous',
  body: z.object({ email, code: mailCode, username, password, nickname: nickname.optional() }),
  answer: profile,
  errors: ['AUTH_CODE_ERROR', 'USER_HAS_EXISTED', 'REGISTRATION_CLOSED'],
});

/** How this server sends mail: over SMTP, or as files in its data folder. */
const deliveries = ['smtp', 'file'] as const;
export type Delivery = (typeof deliveries)[number];

export const mailCodeReceipt = z.object({
  expiresIn: z.int(),
  retryAfter: z.int(),
  delivery: z.enum(deliveries).optional(),
});

export const requestMailCode = endpoint('requestMailCode', {
  ...common,
  route: 'POST /api/v1/auth/verification-codes',
  summary: 'Have a six-digit code sent to an e-mail address',
  description: 'The answer is the same whether or not the address belongs to an account. A code lives three minutes.',
  access: 'anonymous',
  body: z.object({ email, type: z.enum(mailCodeTypes) }),
  answer: mailCodeReceipt,
  errors: ['REGISTRATION_CLOSED', 'LOCAL_SIGN_IN_DISABLED'],
});

export const resetPassword = endpoint('resetPassword', {
  ...common,
  route: 'POST /api/v1/auth/password-resets',
  summary: 'Set a new password with the code from the e-mail',
  description: 'Every session of the account ends.',
  access: 'anonymous',
  body: z.object({ email, code: mailCode, password }),
  errors: ['AUTH_CODE_ERROR', 'LOCAL_SIGN_IN_DISABLED'],
});

export const logout = endpoint('logout', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'POST /api/v1/auth/logout',
  aliases: ['/auth/logout'],
  summary: 'End this session, or every session of the account',
  access: 'signed-in',
  body: z.object({ everywhere: z.boolean().default(false) }),
});

export const me = endpoint('me', {
  ...common,
  route: 'GET /api/v1/auth/me',
  aliases: ['/auth/me'],
  summary: 'Who am I, and what may I do',
  access: 'signed-in',
  tokenScope: 'any',
  folderScope: {},
  answer: profile.extend({
    permissions: profile.shape.permissions.meta({ description: 'with an API token, those among its scopes' }),
    apiToken: actingToken.nullish().meta({ description: 'the API token of this call' }),
  }),
});

export const refreshToken = endpoint('refreshToken', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'POST /api/v1/auth/tokens/refresh',
  summary: 'Exchange a valid token for a new one; the old one is revoked',
  access: 'signed-in',
  answer: newSession,
});

export const issueStreamToken = endpoint('issueStreamToken', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'POST /api/v1/auth/tokens/sse',
  summary: 'A token that opens one event stream, for clients that cannot set headers',
  description: 'It is used up by the first connection. The stream lives as long as the session that asked for it.',
  access: 'signed-in',
  tokenScope: 'any',
  folderScope: {},
  answer: z.object({
    sseToken: z.string().meta({ description: 'query parameter `token` of GET /api/v1/sse/connect' }),
    expiresIn: z.int().positive().meta({ description: 'seconds until the token expires' }),
  }),
});

/** A page of another site can send it only after a CORS preflight, which is never answered. */
export const appHeader = 'X-RecordProof-App';
export const appHeaders = { [appHeader]: 'any text: tells calls of the app from forms of other sites' };
const persistentSessionPath = '/api/v1/auth/browser-session';

export const keepSession = endpoint('keepSession', {
  isAllowedInMaintenance: true,
  ...common,
  route: `POST ${persistentSessionPath}`,
  summary: 'Keep this session in the browser that calls, beyond a reload',
  description:
    'Sets a cookie that no script can read and that only this address takes. Twenty of an account are kept; the oldest goes first.',
  access: 'signed-in',
  body: z.object({
    stay: z.boolean().meta({ description: 'for 30 days of not being used; else until the browser is closed' }),
  }),
  answer: z.object({ expiresIn: z.int().positive().meta({ description: 'seconds, from the last use on' }) }),
});

export const resumeSession = endpoint('resumeSession', {
  isAllowedInMaintenance: true,
  ...common,
  route: `PUT ${persistentSessionPath}`,
  summary: 'A token for the session that this browser keeps',
  description:
    'Known by the cookie alone. All tokens of one kept session end together; several windows may ask at once.',
  access: 'anonymous',
  rate: 'other',
  headers: appHeaders,
  answer: newSession,
  errors: ['PERMISSION_TOKEN_INVALID', 'FORBIDDEN'],
});

export const forgetSession = endpoint('forgetSession', {
  isAllowedInMaintenance: true,
  ...common,
  route: `DELETE ${persistentSessionPath}`,
  summary: 'End the session that this browser keeps',
  description: 'Also where its token has been lost. Without a cookie there is nothing to do.',
  access: 'anonymous',
  rate: 'other',
  headers: appHeaders,
  errors: ['FORBIDDEN'],
});

export const setUp = endpoint('setUp', {
  ...common,
  route: 'POST /api/v1/auth/setup',
  summary: 'Create the first administrator with the one-time set-up code',
  description: 'Works only while the server has no administrator. The code is printed where the server was started.',
  access: 'anonymous',
  body: z.object({ setupCode, username, email, password, nickname: nickname.optional() }),
  answer: profile,
  errors: ['AUTH_CODE_ERROR', 'USER_HAS_EXISTED', 'CONFLICT'],
});
