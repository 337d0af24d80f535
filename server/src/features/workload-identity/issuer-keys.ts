// Public keys of issuers: from their discovery documents, cached for ten minutes, and fetched again when a token names
// an unknown key, at most every half minute. Only issuers named in a rule are contacted.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import { boundedFetch } from '../../platform/http/bounded-fetch.ts';
import type { Platform } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { mayHoldKeys } from './policy.ts';

/** Asymmetric algorithms only. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const keptMs = 600_000;
const leastAgeMs = 30_000;
const toleranceSeconds = 60;
const mostIssuers = 500;

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string().max(2048) });
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

type Keys = { readonly find: ReturnType<typeof createLocalJWKSet>; readonly readAt: number };

const invalid = (reason: string, cause?: unknown) =>
  new ApiError('PERMISSION_TOKEN_INVALID', `the identity token is not accepted: ${reason}`, { cause });

export class IssuerKeys {
  readonly #platform: Pick<Platform, 'clock' | 'stopping' | 'log'>;
  readonly #cache = new BoundedMap<string, Promise<Keys>>(mostIssuers);

  constructor(platform: Pick<Platform, 'clock' | 'stopping' | 'log'>) {
    this.#platform = platform;
  }

  /** Throws PERMISSION_TOKEN_INVALID, or SERVICE_UNAVAILABLE if the issuer is unreachable. */
  async verify(token: string, issuer: string): Promise<JWTPayload & { readonly exp: number }> {
    const keys = await this.#find(issuer, keptMs);
    try {
      return await this.#verifyWith(keys, token, issuer);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw toRejection(error);
    }
    try {
      return await this.#verifyWith(await this.#find(issuer, leastAgeMs), token, issuer);
    } catch (error) {
      throw toRejection(error);
    }
  }

  async #verifyWith({ find }: Keys, token: string, issuer: string): Promise<JWTPayload & { readonly exp: number }> {
    const { payload } = await jwtVerify(token, find, {
      algorithms,
      issuer,
      currentDate: new Date(this.#platform.clock.now()),
      clockTolerance: toleranceSeconds,
      requiredClaims: ['exp', 'iat', 'aud'],
    });
    return payload as JWTPayload & { readonly exp: number };
  }

  async #find(issuer: string, maxAgeMs: number): Promise<Keys> {
    const cached = this.#cache.get(issuer);
    const kept = await cached?.catch(() => undefined);
    const age = kept === undefined ? Number.POSITIVE_INFINITY : this.#platform.clock.now() - kept.readAt;
    if (kept !== undefined && age >= 0 && age < maxAgeMs) return kept;
    const current = this.#cache.get(issuer);
    if (current !== undefined && current !== cached) return current; // another call has started to fetch them
    const reading = this.#read(issuer);
    this.#cache.set(issuer, reading);
    return reading;
  }

  async #read(issuer: string): Promise<Keys> {
    const readAt = this.#platform.clock.now();
    try {
      const found = discovery.parse(await this.#get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`));
      if (found.issuer !== issuer)
        throw new Error(`its discovery document names another issuer: ${found.issuer.slice(0, 200)}`);
      if (!mayHoldKeys(issuer, found.jwks_uri))
        throw new Error(
          `jwks_uri ${found.jwks_uri.slice(0, 200)} of issuer ${issuer} must be an https address without user and password`,
        );
      const { keys } = keySet.parse(await this.#get(found.jwks_uri));
      return { find: createLocalJWKSet({ keys }), readAt };
    } catch (error) {
      this.#platform.log.warn(
        { issuer, error: toErrorText(error) },
        'failed to fetch the keys of an identity token issuer',
      );
      throw new ApiError(
        'SERVICE_UNAVAILABLE',
        `the keys of issuer ${issuer} cannot be read: try again; if it persists, check its jwks_uri`,
        { cause: error },
      );
    }
  }

  async #get(url: string): Promise<unknown> {
    const { status, body } = await boundedFetch(url, { method: 'GET', signal: this.#platform.stopping });
    if (status !== 200) throw new Error(`${url} answered with ${status}`);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  }
}

function toRejection(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return invalid('it has expired', error);
  if (error instanceof errors.JOSEAlgNotAllowed) return invalid('its algorithm is not allowed', error);
  if (error instanceof errors.JWKSNoMatchingKey) return invalid('its issuer has no such key', error);
  return error instanceof errors.JOSEError ? invalid('its signature or a required claim is wrong', error) : error;
}
