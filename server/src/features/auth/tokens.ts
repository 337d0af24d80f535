// Login tokens: HS512 only, bound to issuer and audience. A verified token is cached until it expires, so that its
// signature is computed once; revocation is queried from the database every time.
import type { KeyObject } from 'node:crypto';
import type { AccountKind } from '@recordproof/shared/api/accounts.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { JOSEError, JWTExpired } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { Awaitable } from '../../platform/awaitable.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import { newTokenId } from '../../platform/ids.ts';

const algorithm = 'HS512';
const issuer = 'recordproof-server';
const audience = 'recordproof';
const rememberedTokens = 10_000;
/** Allowed clock difference between servers; a token from further in the future was issued by a wrong clock. */
const skewMs = 60_000;

export type TokenClaims = {
  readonly userId: Key;
  readonly tenantId: Key;
  readonly authVersion: number;
  readonly tokenId: string;
  readonly expiresAt: Time;
  /** When the user last gave a factor; 0 for tokens of releases without it. */
  readonly authenticatedAt: Time;
};

export type Session = { readonly token: string; readonly expiresIn: number };

type SessionAccount = { id: Key; tenant_id: Key; auth_version: number; role: string; kind: AccountKind };

export type Tokens = {
  /** The maximum lifetime of a token. */
  readonly lifetimeSeconds: number;
  /** `authenticatedAt` is now if the user has just given a factor. */
  issue(
    account: SessionAccount,
    options?: { readonly tokenId?: string; readonly authenticatedAt?: Time },
  ): Promise<Session>;
  /** Throws PERMISSION_TOKEN_EXPIRED or PERMISSION_TOKEN_INVALID. */
  verify(token: string): Awaitable<TokenClaims>;
};

/** A verified token, and the start of its validity. */
type Verified = { readonly claims: TokenClaims; readonly goodFrom: Time };

const isKey = (value: unknown): value is string => typeof value === 'string' && /^[1-9][0-9]{0,15}$/.test(value);

function toClaims(payload: Record<string, unknown>): TokenClaims {
  const { sub, tid, av, jti, exp, auth_time: authTime } = payload;
  if (!isKey(sub) || !isKey(tid) || typeof av !== 'number' || typeof jti !== 'string' || typeof exp !== 'number') {
    throw new ApiError('PERMISSION_TOKEN_INVALID');
  }
  const authenticatedAt = typeof authTime === 'number' ? authTime * 1000 : 0;
  return {
    userId: Number(sub),
    tenantId: Number(tid),
    authVersion: av,
    tokenId: jti,
    expiresAt: exp * 1000,
    authenticatedAt,
  };
}

export function openTokens(key: KeyObject, clock: Clock, lifetimeSeconds: number): Tokens {
  const remembered = new BoundedMap<string, Verified>(rememberedTokens);
  const isGood = ({ claims, goodFrom }: Verified): boolean => {
    const now = clock.now();
    return claims.expiresAt > now && goodFrom <= now;
  };

  async function check(token: string): Promise<TokenClaims> {
    try {
      const options = {
        algorithms: [algorithm],
        issuer,
        audience,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'iat'],
      };
      const { payload } = await jwtVerify(token, key, options);
      const verified = { claims: toClaims(payload), goodFrom: (payload.iat ?? 0) * 1000 - skewMs };
      if (!isGood(verified)) throw new ApiError('PERMISSION_TOKEN_INVALID');
      remembered.set(token, verified);
      return verified.claims;
    } catch (error) {
      if (error instanceof JWTExpired) throw new ApiError('PERMISSION_TOKEN_EXPIRED');
      if (error instanceof JOSEError) throw new ApiError('PERMISSION_TOKEN_INVALID');
      throw error;
    }
  }

  return {
    lifetimeSeconds,
    async issue(
      { id, tenant_id, role, auth_version, kind },
      { tokenId = newTokenId(), authenticatedAt = clock.now() } = {},
    ) {
      if (kind === 'service')
        throw new ApiError('USER_ACCOUNT_FORBIDDEN', 'this is a service account: programs use it with API tokens');
      const now = Math.floor(clock.now() / 1000);
      const auth_time = Math.floor(authenticatedAt / 1000);
      const token = await new SignJWT({ tid: String(tenant_id), role, av: auth_version, auth_time })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setSubject(String(id))
        .setJti(tokenId)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .sign(key);
      return { token, expiresIn: lifetimeSeconds };
    },
    verify(token) {
      const cached = remembered.get(token);
      return cached && isGood(cached) ? cached.claims : check(token);
    },
  };
}
