// Sign-in rules of a provider: admission, role and tenant from validated claims and settings. Pure.
import { email as emailForm, nickname as nicknameForm, type Role } from '@recordproof/shared/api/auth.ts';
import type { SignInProblem } from '@recordproof/shared/api/single-sign-on.ts';
import type { SignInProvider } from '../../config/sign-in-providers.ts';

export type SignInClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

export type Admission = {
  /** Verified by the provider; null if it sent none. */
  readonly email: string | null;
  /** Null if the provider maps no roles: the role is then set on this server. */
  readonly role: Role | null;
  /** Null if neither a claim nor a setting names one. */
  readonly tenant: string | null;
  readonly nameHints: readonly string[];
  readonly nickname: string | null;
};

type Rejection = { readonly problem: SignInProblem };

/** A claim by its name, or by its path, as `realm_access.roles`. */
function findClaim(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const key of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

function listWords(claims: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const value = findClaim(claims, name);
  return (Array.isArray(value) ? value : [value]).filter(word => typeof word === 'string');
}

const findText = (claims: SignInClaims, name: string): string | null => {
  const value = claims[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
};

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** An unverified address may belong to another person and is ignored. */
function findVerifiedEmail({ trustsEmail }: SignInProvider, claims: SignInClaims): string | null {
  const { email_verified: verified } = claims;
  if (verified !== true && !(trustsEmail && verified === undefined)) return null;
  return emailForm.safeParse(claims.email).data ?? null;
}

/** Control characters, and the half of a character that was cut. */
const unstorable = /[\p{Cc}\p{Cs}]/gu;

const ranks: Readonly<Record<Role, number>> = { user: 0, monitor: 1, admin: 2 };

/** The highest role that its values map to; `user` if there is none. */
function findRole({ roles, rolesClaim }: SignInProvider, claims: SignInClaims): Role | null {
  if (Object.keys(roles).length === 0) return null;
  const held = listWords(claims, rolesClaim).flatMap(word => (Object.hasOwn(roles, word) ? [roles[word] as Role] : []));
  return held.reduce<Role>((best, role) => (ranks[role] > ranks[best] ? role : best), 'user');
}

/** The first match, in the order of the settings. */
function findTenant({ tenants, tenantsClaim, tenant }: SignInProvider, claims: SignInClaims): string | null {
  const words = listWords(claims, tenantsClaim);
  const mapped = Object.entries(tenants).find(([word]) => words.includes(word));
  return mapped?.[1] ?? tenant ?? null;
}

function findProblem(provider: SignInProvider, claims: SignInClaims, email: string | null): SignInProblem | null {
  const { domains, groups, groupsClaim, requiredAcr, requiredAmr } = provider;
  if (domains.length > 0 && email === null) return 'email-unverified';
  if (domains.length > 0 && !domains.includes(domainOf(email ?? ''))) return 'not-admitted';
  if (groups.length > 0 && !listWords(claims, groupsClaim).some(group => groups.includes(group))) return 'not-admitted';
  if (requiredAcr.length > 0 && !requiredAcr.includes(findText(claims, 'acr') ?? '')) return 'weak-authentication';
  const methods = listWords(claims, 'amr');
  return requiredAmr.every(method => methods.includes(method)) ? null : 'weak-authentication';
}

export function toAdmission(provider: SignInProvider, claims: SignInClaims): Admission | Rejection {
  const email = findVerifiedEmail(provider, claims);
  const problem = findProblem(provider, claims, email);
  if (problem !== null) return { problem };
  const hints = [findText(claims, 'preferred_username'), email, findText(claims, 'name')];
  return {
    email,
    role: findRole(provider, claims),
    tenant: findTenant(provider, claims),
    nameHints: hints.filter(hint => hint !== null),
    nickname: nicknameForm.safeParse(findText(claims, 'name')?.slice(0, 50).replaceAll(unstorable, '')).data ?? null,
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** Those of the ID token first. Whether an address is verified is said of the address beside it, not of another. */
export function mergeClaims(own: SignInClaims, more: Claims): SignInClaims {
  const merged = { ...more, ...own };
  if (own.email === undefined) return { ...merged, email_verified: more.email_verified ?? own.email_verified };
  if (String(own.email).toLowerCase() === String(more.email).toLowerCase()) return merged;
  // A denial counts whatever address it is about.
  const denied = more.email_verified === false ? false : undefined;
  return { ...merged, email_verified: own.email_verified ?? denied };
}

/** The claims used by the settings; those missing in the ID token are read from the userinfo endpoint. */
export const listNeededClaims = (provider: SignInProvider): readonly string[] => [
  'email',
  ...(provider.groups.length > 0 ? [provider.groupsClaim] : []),
  ...(Object.keys(provider.roles).length > 0 ? [provider.rolesClaim] : []),
  ...(Object.keys(provider.tenants).length > 0 ? [provider.tenantsClaim] : []),
];

export const hasClaims = (claims: SignInClaims, names: readonly string[]): boolean =>
  names.every(name => findClaim(claims, name) !== undefined);

const forbiddenInNames = /[^0-9A-Za-z_.\-\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** A valid user name from the provider's names of the person. */
export function toUsername(hints: readonly string[]): string {
  const [hint = ''] = hints;
  const name = [
    ...hint
      .replace(/@.*$/, '')
      .replaceAll(forbiddenInNames, '-')
      .replaceAll(/^-+|-+$/g, ''),
  ];
  return name.slice(0, 24).join('').padEnd(3, '-');
}
