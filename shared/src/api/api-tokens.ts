// API tokens: for programs, in place of a password. Each has a name, scopes, an expiry, and optional further limits.
import { z } from 'zod';
import { byId, isoTime, plainText, recordId } from './common.ts';
import { endpoint, type Permission, permissions } from './endpoint.ts';
import { folderPath } from './files.ts';

/** Common sets of scopes. */
export const tokenPresets = {
  read: ['file:read'],
  'upload-and-prove': ['file:read', 'file:write'],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;
export type TokenPreset = keyof typeof tokenPresets;

const apiTokenStates = ['ACTIVE', 'EXPIRED', 'REVOKED'] as const;

export const apiToken = z.object({
  id: recordId,
  name: z.string(),
  hint: z.string().meta({ description: 'how the token begins' }),
  state: z.enum(apiTokenStates),
  scopes: z.array(z.enum(permissions)),
  folder: z.string().nullable().meta({ description: 'the folder that it is limited to' }),
  addresses: z.array(z.string()).meta({ description: 'where it may be used from; empty: from everywhere' }),
  createdAt: isoTime,
  createdBy: z.string(),
  expiresAt: isoTime,
  lastUsedAt: isoTime.nullable().meta({ description: 'to the minute' }),
  lastUsedFrom: z.string().nullable(),
});
export type ApiToken = z.infer<typeof apiToken>;

export const defaultTokenDays = 30;
/** The maximum of every server. */
const mostTokenDays = 3650;
export const mostTokensPerAccount = 100;

export const tokenName = plainText(64);
const tokenScopes = z
  .array(z.enum(permissions))
  .min(1, 'must name at least one scope')
  .transform(scopes => permissions.filter(permission => scopes.includes(permission)));

/** An IP address, or a network such as 10.0.0.0/8. */
const network = z.string().max(64);

/** Limits of a token besides its expiry. */
export const tokenLimits = z.object({
  scopes: tokenScopes,
  folder: folderPath.optional().meta({ description: 'limits it to this folder and those below it' }),
  addresses: z.array(network).max(20).default([]).meta({ description: 'addresses and networks, as 10.0.0.0/8' }),
});

const newToken = tokenLimits.extend({
  name: tokenName,
  expiresInDays: z.int().min(1).max(mostTokenDays).default(defaultTokenDays),
});

const created = z.object({
  token: z.string().meta({ description: 'the token itself: it is answered this once' }),
  apiToken,
});

const byAccountAndToken = z.object({ id: recordId, tokenId: recordId });
const limitsText =
  'A token may do what its scopes and the role of its owner both allow. It creates no tokens and changes no credentials. A token with an administrator scope can be created only within ten minutes of an identity confirmation (step-up).';

const common = { feature: 'api-tokens', rate: 'other' } as const;

export const createApiToken = endpoint('createApiToken', {
  ...common,
  route: 'POST /api/v1/auth/api-tokens',
  summary: 'Create an API token of the own account',
  description: limitsText,
  access: 'signed-in',
  rate: 'auth',
  body: newToken,
  answer: created,
  errors: ['CONFLICT', 'PARAM_IS_INVALID', 'STEP_UP_REQUIRED'],
});

export const listApiTokens = endpoint('listApiTokens', {
  ...common,
  route: 'GET /api/v1/auth/api-tokens',
  summary: 'List the API tokens of the own account, the newest first',
  description: 'Expired and revoked ones are listed for 30 days.',
  access: 'signed-in',
  answer: z.array(apiToken),
});

export const getApiToken = endpoint('getApiToken', {
  ...common,
  route: 'GET /api/v1/auth/api-tokens/{id}',
  summary: 'One API token of the own account',
  access: 'signed-in',
  params: byId,
  answer: apiToken,
  errors: ['NOT_FOUND'],
});

export const revokeApiToken = endpoint('revokeApiToken', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'DELETE /api/v1/auth/api-tokens/{id}',
  summary: 'Revoke an API token of the own account',
  description: 'From the answer on no server accepts it. Its event streams end. Revoking it again changes nothing.',
  access: 'signed-in',
  rate: 'auth',
  params: byId,
  answer: apiToken,
  errors: ['NOT_FOUND'],
});

const ofAccount = '/api/v1/system/permissions/users/{id}/api-tokens';

export const listTokensOfUser = endpoint('listTokensOfUser', {
  ...common,
  route: `GET ${ofAccount}`,
  summary: 'List the API tokens of an account',
  access: 'system:admin',
  params: byId,
  answer: z.array(apiToken),
  errors: ['USER_NOT_EXIST'],
});

export const createServiceToken = endpoint('createServiceToken', {
  ...common,
  route: `POST ${ofAccount}`,
  stepUp: true,
  summary: 'Create an API token of a service account',
  description: limitsText,
  access: 'system:admin',
  tokenScope: 'none',
  params: byId,
  body: newToken,
  answer: created,
  errors: ['USER_NOT_EXIST', 'CONFLICT', 'PARAM_IS_INVALID', 'STEP_UP_REQUIRED'],
});

export const revokeTokenOfUser = endpoint('revokeTokenOfUser', {
  isAllowedInMaintenance: true,
  ...common,
  route: `DELETE ${ofAccount}/{tokenId}`,
  summary: 'Revoke an API token of an account',
  access: 'system:admin',
  params: byAccountAndToken,
  answer: apiToken,
  errors: ['USER_NOT_EXIST', 'NOT_FOUND'],
});
