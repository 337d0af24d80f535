// Workload identity: a build job exchanges its provider's identity token for a short-lived API token of a service
// account, under a trust rule of an administrator.
import { z } from 'zod';
import { tokenLimits, tokenName } from './api-tokens.ts';
import { byId, externalId, isoTime, plainText, recordId } from './common.ts';
import { endpoint, permissions } from './endpoint.ts';

export const workloadTokenSeconds = 900;
export const mostTrustRules = 50;

const claimPattern = z.object({
  name: plainText(64),
  pattern: plainText(512).meta({ description: 'the value of the claim; "*" stands for any characters but "/"' }),
});
export type ClaimPattern = z.infer<typeof claimPattern>;

const ruleFields = {
  name: tokenName,
  issuer: z
    .url()
    .max(512)
    .meta({ description: 'https, or http on this machine; as the claim iss of the identity token' }),
  audience: plainText(512).meta({ description: 'must be in the claim aud' }),
  claims: z.array(claimPattern).min(1).max(20).meta({ description: 'all of them must match' }),
};

export const trustRule = z.object({
  id: recordId,
  ...ruleFields,
  scopes: z.array(z.enum(permissions)),
  folder: z.string().nullable(),
  addresses: z.array(z.string()),
  createdAt: isoTime,
  createdBy: z.string(),
});
export type TrustRule = z.infer<typeof trustRule>;

const ofAccount = '/api/v1/system/permissions/users/{id}/trust-rules';

const common = { feature: 'workload-identity', rate: 'other' } as const;

export const createTrustRule = endpoint('createTrustRule', {
  ...common,
  route: `POST ${ofAccount}`,
  stepUp: true,
  summary: 'Create a trust rule of a service account',
  description:
    'Jobs whose identity token fits the rule get an API token of the account for 15 minutes, with these limits.',
  access: 'system:admin',
  tokenScope: 'none',
  params: byId,
  body: tokenLimits.extend(ruleFields),
  answer: trustRule,
  errors: ['USER_NOT_EXIST', 'CONFLICT', 'PARAM_IS_INVALID', 'STEP_UP_REQUIRED'],
});

export const listTrustRules = endpoint('listTrustRules', {
  ...common,
  route: `GET ${ofAccount}`,
  summary: 'List the trust rules of a service account',
  access: 'system:admin',
  params: byId,
  answer: z.array(trustRule),
  errors: ['USER_NOT_EXIST'],
});

export const deleteTrustRule = endpoint('deleteTrustRule', {
  ...common,
  route: `DELETE ${ofAccount}/{ruleId}`,
  summary: 'Delete a trust rule; the tokens that were issued under it are revoked',
  access: 'system:admin',
  params: z.object({ id: recordId, ruleId: recordId }),
  errors: ['USER_NOT_EXIST', 'NOT_FOUND'],
});

export const exchangeIdentity = endpoint('exchangeIdentity', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'POST /api/v1/auth/tokens/exchange',
  summary: 'Exchange the identity token of a job for an API token of a service account',
  description:
    'In the manner of RFC 8693. The identity token is an OpenID Connect JWT, signed by its issuer with RS, PS, ES or EdDSA. Each is good once. The API token lasts 15 minutes.',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({
    account: externalId.meta({ description: 'external id of the service account' }),
    subjectToken: z.string().min(1).max(16_384),
  }),
  bodyForms: ['json', 'form'],
  answer: z.object({
    token: z.string(),
    expiresIn: z.int().positive().meta({ description: 'seconds' }),
    scopes: z.array(z.enum(permissions)),
    folder: z.string().nullable(),
  }),
  errors: ['PERMISSION_TOKEN_INVALID', 'SERVICE_UNAVAILABLE'],
});
