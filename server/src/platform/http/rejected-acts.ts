// Rejections that go into the audit log: operations that an account is not allowed, or not allowed now. Recorded are
// the endpoint and the ids in the path, because URLs and bodies may contain secrets.
import type { Access, AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyRequest } from 'fastify';
import { type Call, callAs } from '../call.ts';
import type { Clock } from '../clock.ts';

export type RejectedAct = {
  readonly call: Call;
  readonly endpoint: AnyEndpoint;
  readonly error: ApiError;
  /** Ids from the path. */
  readonly ids: Readonly<Record<string, string>>;
};

const recorded: ReadonlySet<number> = new Set([403, 409, 422]);

const isAdministrative = (access: Access): boolean =>
  access === 'management' || access.startsWith('system:') || access.endsWith(':admin');

const isAct = ({ method, access }: AnyEndpoint): boolean => method !== 'GET' || isAdministrative(access);

const isId = (name: string): boolean => name === 'id' || name === 'hash' || /(Id|Hash)$/.test(name);
const maxIdLength = 100;

/** Null for anonymous callers, ordinary reads, and other errors. */
export function findRejectedAct(clock: Clock, { state, params }: FastifyRequest, error: ApiError): RejectedAct | null {
  const { endpoint, caller } = state;
  if (endpoint === undefined || caller.kind !== 'user' || !recorded.has(error.status) || !isAct(endpoint)) return null;
  const startedAt = clock.now() - Math.round(performance.now() - state.startedAt);
  const origin = { ip: state.ip, url: state.route, method: endpoint.method, startedAt };
  const ids = Object.entries((params ?? {}) as Record<string, string>)
    .filter(([name]) => isId(name))
    .map(([name, value]) => [name, value.slice(0, maxIdLength)]);
  return { call: callAs(origin, caller.actor), endpoint, error, ids: Object.fromEntries(ids) };
}
