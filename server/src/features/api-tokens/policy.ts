// Limits of new API tokens. Pure.
import { mostTokensPerAccount } from '@recordproof/shared/api/api-tokens.ts';
import { type Permission, tokenPermissions } from '@recordproof/shared/api/endpoint.ts';
import { isNetwork } from '../../platform/http/networks.ts';

type Limits = {
  readonly scopes: readonly Permission[];
  readonly addresses: readonly string[];
};

/** Scopes that need a fresh factor to create the token. */
export const isAdministrative = (scopes: readonly Permission[]): boolean =>
  scopes.some(scope => isForTokens(scope) && (scope.startsWith('system:') || scope.endsWith(':admin')));

const isForTokens = (scope: Permission): boolean => tokenPermissions.includes(scope);

/** Returns null if the limits are valid. */
export function findBadLimit(limits: Limits, allowed: ReadonlySet<Permission>): string | null {
  const forNone = limits.scopes.find(scope => !isForTokens(scope));
  if (forNone !== undefined) return `scopes: no API token may have ${forNone}; sign in to administer the installation`;
  const beyond = limits.scopes.find(scope => !allowed.has(scope));
  if (beyond !== undefined) return `scopes: the role of the account does not have ${beyond}`;
  const address = limits.addresses.find(one => !isNetwork(one));
  return address === undefined ? null : 'addresses: each must be an IP address or a network such as 10.0.0.0/8';
}

export const findTooLong = (days: number, mostDays: number): string | null =>
  days <= mostDays ? null : `expiresInDays: this server allows at most ${mostDays} days`;

export const findTooMany = (live: number): string | null =>
  live < mostTokensPerAccount
    ? null
    : `the account has ${mostTokensPerAccount} API tokens: revoke those that are no longer used`;

const dayMs = 24 * 3600_000;
const warningDays = [7, 1] as const;

/** When the owner is next warned of the expiry. A warning does not apply to tokens with a shorter lifetime. */
export function findNextWarning(expiresAt: number, after: number): number | null {
  const times = warningDays.map(days => expiresAt - days * dayMs);
  return times.find(time => time > after) ?? null;
}
