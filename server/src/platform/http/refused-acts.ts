// Which refusals of the HTTP layer are refused acts for the audit log: what an account may not do, or not now. What was
// asked is told by the endpoint and the ids in its path: addresses and bodies may hold what opens something.
import type { Access, AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyRequest } from 'fastify';
import { type Call, callAs } from '../call.ts';
import type { Clock } from '../clock.ts';

export type RefusedAct = {
  readonly call: Call;
  readonly endpoint: AnyEndpoint;
  readonly error: ApiError;
  /** Ids of what it was about. */
  readonly ids: Readonly<Record<string, string>>;
};

const recorded: ReadonlySet<number> = new Set([403, 409, 422]);

const isAdministrative = (access: Access): boolean =>
  access === 'management' || access.startsWith('system:') || access.endsWith(':admin');

const isAct = ({ method, access }: AnyEndpoint): boolean => method !== 'GET' || isAdministrative(access);

const isId = (name: string): boolean => name === 'id' || name === 'hash' || /(Id|Hash)$/.test(name);
const maxIdLength = 100;

/** Null for what is no refused act: of nobody in particular, of a reader, or another kind of error. */
export function findRefusedAct(clock: Clock, { state, params }: FastifyRequest, error: ApiError): RefusedAct | null {
  const { endpoint, caller } = state;
  if (endpoint === undefined || caller.kind !== 'user' || !recorded.has(error.status) || !isAct(endpoint)) return null;
  const startedAt = clock.now() - Math.round(performance.now() - state.startedAt);
  const origin = { ip: state.ip, url: state.route, method: endpoint.method, startedAt };
  const ids = Object.entries((params ?? {}) as Record<string, string>)
    .filter(([name]) => isId(name))
    .map(([name, value]) => [name, value.slice(0, maxIdLength)]);
  return { call: callAs(origin, caller.actor), endpoint, error, ids: Object.fromEntries(ids) };
}
