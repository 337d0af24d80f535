// Authentication and authorization: by the bearer token in the header or, where the endpoint allows it, a single-use
// token in the query. The limits of API tokens are enforced here and in narrow.ts only.
import { type AnyEndpoint, tokenScopeOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyRequest } from 'fastify';
import type { Awaitable } from '../awaitable.ts';
import { toApiError } from './answers.ts';
import { type Actor, type Authenticate, anonymous, type Caller, isOperator, toBeside } from './caller.ts';
import type { Route } from './route.ts';

export type IdentifyOptions = {
  readonly authenticate: Authenticate;
  /** Consumes the token: it is invalid afterwards. */
  readonly redeemStreamToken: Authenticate;
};

/** With `rejection` the caller is anonymous; it is thrown after the call has been counted. */
type Identified = { readonly caller: Caller; readonly rejection?: ApiError };

/** Other defects show when the token is verified. */
const scheme = 'bearer ';
const maxTokenLength = 4096;

const anonymousCaller: Identified = { caller: anonymous };

export function identify(
  context: IdentifyOptions,
  { endpoint, beside }: Pick<Route, 'endpoint' | 'beside'>,
  request: FastifyRequest,
): Awaitable<Identified> {
  if (endpoint.access === 'anonymous') return anonymousCaller;
  if (endpoint.takesStreamToken) {
    const { token } = request.query as { token?: unknown };
    if (typeof token === 'string')
      return authenticate(endpoint, () => context.redeemStreamToken(token, request.state.ip));
  }
  const { authorization } = request.headers;
  if (authorization === undefined) return anonymousCaller;
  return authenticate(endpoint, () => {
    const token = authorization.slice(scheme.length);
    const isBearer = authorization.slice(0, scheme.length).toLowerCase() === scheme;
    if (!isBearer || token.length === 0 || token.length > maxTokenLength)
      throw new ApiError('PERMISSION_TOKEN_INVALID');
    return context.authenticate(token, request.state.ip, toBeside(beside, request.params));
  });
}

function authenticate({ access }: AnyEndpoint, find: () => Awaitable<Caller>): Awaitable<Identified> {
  const reject = (error: unknown): Identified => {
    const rejection = toApiError(error);
    if (rejection.status !== 401) throw rejection;
    return access === 'optional' ? anonymousCaller : { caller: anonymous, rejection };
  };
  try {
    const caller = find();
    return caller instanceof Promise ? caller.then(known => ({ caller: known }), reject) : { caller };
  } catch (error) {
    return reject(error);
  }
}

export function mayCall(endpoint: AnyEndpoint, caller: Caller): void {
  const { access } = endpoint;
  if (access === 'anonymous') return;
  if (caller.kind === 'user') checkToken(endpoint, caller.actor);
  if (access === 'optional') return;
  if (access === 'management' && isOperator(caller)) return;
  if (caller.kind !== 'user') throw new ApiError('UNAUTHORIZED');
  if (access === 'signed-in') return;
  if (access === 'management' || !caller.actor.permissions.has(access)) throw new ApiError('FORBIDDEN');
}

/** Enforces the limits of an API token, for every route and transport. */
function checkToken(endpoint: AnyEndpoint, { apiToken, permissions }: Actor): void {
  if (apiToken === undefined) return;
  const scope = tokenScopeOf(endpoint);
  if (scope === 'none') throw new ApiError('FORBIDDEN', 'an API token may not do this: sign in');
  if (scope !== 'any' && !permissions.has(scope))
    throw new ApiError('FORBIDDEN', `this needs the scope ${scope}, which the API token does not have`);
  if (apiToken.folder !== null && endpoint.folderScope === undefined)
    throw new ApiError('FORBIDDEN', 'an API token that is limited to a folder may not do this');
}
