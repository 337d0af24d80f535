// Who calls, and whether they may: from the bearer token in the header or, where the endpoint takes one, from a
// single-use token in the query.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyRequest } from 'fastify';
import type { Awaitable } from '../awaitable.ts';
import { toApiError } from './answers.ts';
import { type Authenticate, anonymous, type Caller, isOperator } from './caller.ts';

export type IdentifyOptions = {
  readonly authenticate: Authenticate;
  /** Uses the token up: whoever calls with it again is refused. */
  readonly redeemStreamToken: Authenticate;
};

/** With a refusal the caller is anonymous; it is thrown once the call has been counted. */
type Identified = { readonly caller: Caller; readonly refusal?: ApiError };

/** What else may be wrong with a token shows when it is found to be none of ours. */
const scheme = 'bearer ';
const maxTokenLength = 4096;

const nobody: Identified = { caller: anonymous };

export function identify(door: IdentifyOptions, endpoint: AnyEndpoint, request: FastifyRequest): Awaitable<Identified> {
  if (endpoint.access === 'anonymous') return nobody;
  if (endpoint.takesStreamToken) {
    const { token } = request.query as { token?: unknown };
    if (typeof token === 'string') return judge(endpoint, () => door.redeemStreamToken(token));
  }
  const { authorization } = request.headers;
  if (authorization === undefined) return nobody;
  return judge(endpoint, () => {
    const token = authorization.slice(scheme.length);
    const isBearer = authorization.slice(0, scheme.length).toLowerCase() === scheme;
    if (!isBearer || token.length === 0 || token.length > maxTokenLength)
      throw new ApiError('PERMISSION_TOKEN_INVALID');
    return door.authenticate(token);
  });
}

function judge({ access }: AnyEndpoint, find: () => Awaitable<Caller>): Awaitable<Identified> {
  const refuse = (error: unknown): Identified => {
    const refusal = toApiError(error);
    if (refusal.status !== 401) throw refusal;
    return access === 'optional' ? nobody : { caller: anonymous, refusal };
  };
  try {
    const caller = find();
    return caller instanceof Promise ? caller.then(known => ({ caller: known }), refuse) : { caller };
  } catch (error) {
    return refuse(error);
  }
}

export function mayCall({ access }: AnyEndpoint, caller: Caller): void {
  if (access === 'anonymous' || access === 'optional') return;
  if (access === 'management' && isOperator(caller)) return;
  if (caller.kind !== 'user') throw new ApiError('UNAUTHORIZED');
  if (access === 'signed-in') return;
  if (access === 'management' || !caller.actor.permissions.has(access)) throw new ApiError('FORBIDDEN');
}
