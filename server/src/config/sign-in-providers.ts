// Configuration of single sign-on providers (OpenID Connect): whom each admits, and the role and tenant its claims
// give. Client secrets come from files or a setting of their own, so the list of providers holds none.
import { readFileSync } from 'node:fs';
import { mailDomain, roleName, tenantName } from '@recordproof/shared/api/auth.ts';
import { plainText } from '@recordproof/shared/api/common.ts';
import { providerId } from '@recordproof/shared/api/single-sign-on.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { z } from 'zod';
import { Secret } from '../platform/secret.ts';
import { findTwice, isPercentEncoded, isPrivate, rejectWebAddress } from './validation.ts';

const providersKey = 'sso.providers';
const secretsKey = 'sso.client-secrets';
const secretForm = /^([^\s:]+):(\S+)$/;

/** An attacker on an unencrypted connection could sign in as any account. */
function isSafeIssuer(text: string): boolean {
  if (rejectWebAddress(text) !== null) return false;
  const { search, hash, username } = new URL(text);
  return isPrivate(text) && search === '' && hash === '' && username === '';
}

const word = z.string().trim().min(1).max(255);
const words = z.array(word).max(100).default([]);
const domains = z.array(mailDomain).max(100).default([]);

const providerForm = z.strictObject({
  id: providerId,
  title: plainText(60),
  issuer: z
    .string()
    .refine(isSafeIssuer, 'must be an https:// address without a query (http:// on this machine alone)'),
  'client-id': word,
  'client-secret-file': word.optional(),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'must be scopes'))
    .default(['openid', 'profile', 'email'])
    .refine(scopes => scopes.includes('openid'), 'must contain openid'),
  domains,
  groups: words,
  'groups-claim': word.default('groups'),
  everyone: z.boolean().default(false),
  'required-acr': words,
  'required-amr': words,
  roles: z.record(word, roleName).default({}),
  'roles-claim': word.optional(),
  tenants: z.record(word, tenantName).default({}),
  'tenants-claim': word.optional(),
  tenant: tenantName.optional(),
  'create-accounts': z.boolean().default(false),
  'trust-email': z.boolean().default(false),
  'link-domains': domains,
  'sign-out': z.boolean().default(true),
});

type ProviderForm = z.output<typeof providerForm>;

export type SignInProvider = ReturnType<typeof toProvider>;

type Parsed = { readonly value: ProviderForm[] } | { readonly why: string };

/** JSON in the environment, a list in the file. */
function parseProviders(input: unknown): Parsed {
  let listed = input;
  if (typeof input === 'string') {
    try {
      listed = JSON.parse(input);
    } catch {
      return { why: 'must be a list of providers, in the environment as JSON' };
    }
  }
  const result = z.array(providerForm).max(20).safeParse(listed);
  if (result.success) return { value: result.data };
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).map(String).join('.');
  return { why: `is wrong at ${path === '' ? 'the top' : path}: ${issue?.message ?? 'it is not a list'}` };
}

export const providerList = z.unknown().transform((input, context): ProviderForm[] => {
  const parsed = parseProviders(input);
  if ('value' in parsed) return parsed.value;
  context.addIssue({ code: 'custom', message: parsed.why });
  return z.NEVER;
});

/** The error never repeats the text. */
export function rejectClientSecret(text: string): string | null {
  const [, id, secret = ''] = secretForm.exec(text) ?? [];
  if (id === undefined) return 'must hold entries such as keycloak:secret';
  return isPercentEncoded(secret) ? null : 'must have client secrets percent-encoded';
}

type ProviderSettings = {
  readonly providers: readonly ProviderForm[];
  readonly secrets: readonly string[];
  readonly sessionHours: number;
  readonly localSignIn: boolean;
};

export function toSingleSignOn({ providers, secrets, sessionHours, localSignIn }: ProviderSettings) {
  const ids = providers.map(({ id }) => id);
  const twice = findTwice(ids);
  if (twice !== undefined) throw new ConfigError(`${providersKey} names ${twice} twice.`);
  const secretsById = new Map(secrets.map(toNamedSecret));
  const unknown = [...secretsById.keys()].find(id => !ids.includes(id));
  if (unknown !== undefined) throw new ConfigError(`${secretsKey} names ${unknown}, which is not in ${providersKey}.`);
  if (!localSignIn && providers.length === 0)
    throw new ConfigError(
      `accounts.local-sign-in is false, but ${providersKey} names no provider: no one could sign in. Add a provider, or allow local sign-in.`,
    );
  return { providers: providers.map(form => toProvider(form, secretsById.get(form.id))), sessionHours };
}

function toNamedSecret(text: string): readonly [id: string, secret: Secret] {
  const [, id = '', secret = ''] = secretForm.exec(text) ?? [];
  return [id, new Secret(decodeURIComponent(secret))];
}

function toProvider(form: ProviderForm, named: Secret | undefined) {
  const { id, groups, everyone } = form;
  const file = form['client-secret-file'];
  if (file !== undefined && named !== undefined)
    throw new ConfigError(`the client secret of ${id} is set twice: in ${file} and in ${secretsKey}.`);
  if (form['create-accounts'] && !everyone && groups.length === 0 && form.domains.length === 0)
    throw new ConfigError(
      `${providersKey}: ${id} would create an account for everyone it knows. Name domains or groups, or set everyone: true.`,
    );
  const groupsClaim = form['groups-claim'];
  return {
    id,
    title: form.title,
    issuer: form.issuer,
    clientId: form['client-id'],
    clientSecret: named ?? (file === undefined ? undefined : readSecret(id, file)),
    scopes: form.scopes,
    domains: form.domains,
    groups,
    groupsClaim,
    requiredAcr: form['required-acr'],
    requiredAmr: form['required-amr'],
    roles: form.roles,
    rolesClaim: form['roles-claim'] ?? groupsClaim,
    tenants: form.tenants,
    tenantsClaim: form['tenants-claim'] ?? groupsClaim,
    tenant: form.tenant,
    createsAccounts: form['create-accounts'],
    trustsEmail: form['trust-email'],
    linkDomains: form['link-domains'],
    signsOut: form['sign-out'],
  };
}

const maxSecretCharacters = 1000;

function readSecret(id: string, path: string): Secret {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${providersKey}: the client secret of ${id} cannot be read from ${path} (${code}).`);
  }
  const named = `${providersKey} names ${path} for the client secret of ${id}, but the file`;
  if (text === '') throw new ConfigError(`${named} is empty.`);
  if (text.length > maxSecretCharacters)
    throw new ConfigError(`${named} has ${text.length} characters; at most ${maxSecretCharacters} are allowed.`);
  return new Secret(text);
}
