// Admission of a request before its body is read: deadline, authentication, rate limit, authorization, and the limit of
// concurrent uploads.
import type { AnyEndpoint, RateClass } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, andThen } from '../awaitable.ts';
import type { HttpContext } from './http-context.ts';
import { identify, mayCall } from './identify.ts';
import { rejectChange } from './in-maintenance.ts';
import { rejectOverLimit, toAddressKey, toHeaders } from './rate-limit.ts';
import type { Route } from './route.ts';
import { isStreamed, type RunningRequest } from './running-request.ts';
import { disconnectStalled } from './stalled-transfers.ts';

/** Transfers have no deadline as long as they make progress, event streams have none, all other requests have one. */
export function watchTime(
  context: HttpContext,
  endpoint: AnyEndpoint,
  { state, raw }: FastifyRequest,
  reply: FastifyReply,
): void {
  const isUpload = isStreamed(endpoint.bodyForms);
  if (endpoint.answerForm === 'events' || endpoint.takesLong) return;
  if (!isUpload && endpoint.answerForm !== 'bytes') {
    context.deadlines.watch(state);
    return;
  }
  disconnectStalled(raw, reply.raw, {
    stallMs: context.config.stallTimeoutSeconds * 1000,
    minBytesPerSecond: context.config.downloadMinBytesPerSecond,
    reject: () => state.timeUp(),
  });
  if (isUpload) context.pace.watch(raw, () => state.timeUp());
}

/** Synchronous as long as no external call is needed. */
export function admit(
  context: HttpContext,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Awaitable<void> {
  const { endpoint } = route;
  return andThen(identify(context, route, request), ({ caller, rejection }) => {
    request.state.caller = caller;
    const rate = caller.kind === 'user' ? endpoint.rate : (endpoint.strangerRate ?? endpoint.rate);
    return andThen(rate === 'own' ? undefined : limit(context, rate, toRateKey(request.state), reply), () => {
      rejectAsScript(endpoint, request);
      if (rejection) throw rejection;
      mayCall(endpoint, caller);
      if (caller.kind === 'user') context.noteUse?.(caller.actor, request.state.ip);
      const isFresh = endpoint.stepUp && caller.kind === 'user' ? context.rejectStale?.(caller.actor) : undefined;
      return andThen(isFresh, () =>
        andThen(rejectChange(context.findMaintenance, endpoint, caller), () => {
          if (isStreamed(endpoint.bodyForms)) countUpload(context, request, reply);
        }),
      );
    });
  });
}

/** Sec-Fetch-Dest values of content that a page would execute or apply. */
const scriptDestinations: readonly unknown[] = [
  'script', 'style', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'paintworklet', 'xslt',
]; // biome-ignore format: a list of names

function rejectAsScript({ isPageAsset }: AnyEndpoint, { headers }: FastifyRequest): void {
  const destination = headers['sec-fetch-dest'];
  if (!isPageAsset && scriptDestinations.includes(destination))
    throw new ApiError('FORBIDDEN', `a page must not load this address as a ${destination}`);
}

/** The unit of rate limiting: an account or an address. */
export const toRateKey = ({ caller, ip }: Pick<RunningRequest, 'caller' | 'ip'>): string =>
  caller.kind === 'user' ? `user:${caller.actor.userId}` : toAddressKey(ip);

function countUpload({ concurrentUploads, config }: HttpContext, { state }: FastifyRequest, reply: FastifyReply): void {
  const { mostPerAccount, mostPerAddress } = config.uploads;
  const { caller } = state;
  const counted = concurrentUploads.count([
    { key: toAddressKey(state.ip), most: mostPerAddress },
    ...(caller.kind === 'user' ? [{ key: `user:${caller.actor.userId}`, most: mostPerAccount }] : []),
  ]);
  if (reply.raw.closed) counted[Symbol.dispose]();
  else reply.raw.once('close', () => counted[Symbol.dispose]());
}

export function limit(context: HttpContext, rateClass: RateClass, who: string, reply: FastifyReply): Awaitable<void> {
  return andThen(context.limiter.count(rateClass, who), hit => {
    reply.headers(toHeaders(hit));
    rejectOverLimit(hit, context.clock.now());
  });
}
