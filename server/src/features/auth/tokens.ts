// Login tokens: HS512 and nothing else, bound to issuer and audience. A verified token is remembered until it expires,
// so that its signature is computed once; whether it was revoked is asked of the database every time.
import type { KeyObject } from 'node:crypto';
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
/** Clocks of servers may differ by this much; a token from later than that was made by a clock that was wrong. */
const skewMs = 60_000;

export type Claims = {
  readonly userId: Key;
  readonly tenantId: Key;
  readonly authVersion: number;
  readonly tokenId: string;
  readonly expiresAt: Time;
};

export type Session = { readonly token: string; readonly expiresIn: number };

export type Tokens = {
  /** No token lives longer. */
  readonly lifetimeSeconds: number;
  /** With an id of its own, unless one was chosen before. */
  issue(account: { id: Key; tenant_id: Key; auth_version: number; role: string }, tokenId?: string): Promise<Session>;
  /** Throws PERMISSION_TOKEN_EXPIRED or PERMISSION_TOKEN_INVALID. */
  verify(token: string): Awaitable<Claims>;
};

/** A verified token, and from when on it is good. */
type Verified = { readonly claims: Claims; readonly goodFrom: Time };

const isKey = (value: unknown): value is string => typeof value === 'string' && /^[1-9][0-9]{0,15}$/.test(value);

function toClaims(payload: Record<string, unknown>): Claims {
  const { sub, tid, av, jti, exp } = payload;
  if (!isKey(sub) || !isKey(tid) || typeof av !== 'number' || typeof jti !== 'string' || typeof exp !== 'number') {
    throw new ApiError('PERMISSION_TOKEN_INVALID');
  }
  return { userId: Number(sub), tenantId: Number(tid), authVersion: av, tokenId: jti, expiresAt: exp * 1000 };
}

export function openTokens(key: KeyObject, clock: Clock, lifetimeSeconds: number): Tokens {
  const remembered = new BoundedMap<string, Verified>(rememberedTokens);
  const isGood = ({ claims, goodFrom }: Verified): boolean => {
    const now = clock.now();
    return claims.expiresAt > now && goodFrom <= now;
  };

  async function check(token: string): Promise<Claims> {
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
      remember(token, verified);
      return verified.claims;
    } catch (error) {
      if (error instanceof JWTExpired) throw new ApiError('PERMISSION_TOKEN_EXPIRED');
      if (error instanceof JOSEError) throw new ApiError('PERMISSION_TOKEN_INVALID');
      throw error;
    }
  }

  function remember(token: string, verified: Verified): void {
    remembered.set(token, verified);
  }

  return {
    lifetimeSeconds,
    async issue(account, tokenId = newTokenId()) {
      const now = Math.floor(clock.now() / 1000);
      const token = await new SignJWT({ tid: String(account.tenant_id), role: account.role, av: account.auth_version })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setSubject(String(account.id))
        .setJti(tokenId)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeSeconds)
        .sign(key);
      return { token, expiresIn: lifetimeSeconds };
    },
    verify(token) {
      const known = remembered.get(token);
      return known && isGood(known) ? known.claims : check(token);
    },
  };
}
