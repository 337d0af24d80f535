// What every request of a route meets before its body is read: its time, who it is, how many calls are left, may they, and
// how many bodies of theirs are coming in already.
import type { AnyEndpoint, RateClass } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, andThen } from '../awaitable.ts';
import type { Door } from './door.ts';
import { identify, mayCall } from './identify.ts';
import { refuseOverLimit, toAddressKey, toHeaders } from './rate-limit.ts';
import { isStreamed, type RunningRequest } from './running-request.ts';
import { letGoWhenStalled } from './stalled-transfers.ts';

/** Transfers take as long as they move, streams of events as long as they last, everything else its time. */
export function watchTime(
  door: Door,
  endpoint: AnyEndpoint,
  { state, raw }: FastifyRequest,
  reply: FastifyReply,
): void {
  const isUpload = isStreamed(endpoint.bodyForms);
  if (endpoint.answerForm === 'events' || endpoint.takesLong) return;
  if (!isUpload && endpoint.answerForm !== 'bytes') {
    door.deadlines.watch(state);
    return;
  }
  letGoWhenStalled(raw, reply.raw, {
    stallMs: door.config.stallTimeoutSeconds * 1000,
    minBytesPerSecond: door.config.downloadMinBytesPerSecond,
    refuse: () => state.timeUp(),
  });
  if (isUpload) door.pace.watch(raw, () => state.timeUp());
}

/** Without a promise as long as nothing outside of this process has to be asked. */
export function admit(
  door: Door,
  endpoint: AnyEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Awaitable<void> {
  return andThen(identify(door, endpoint, request), ({ caller, refusal }) => {
    request.state.caller = caller;
    const rate = caller.kind === 'user' ? endpoint.rate : (endpoint.strangerRate ?? endpoint.rate);
    return andThen(rate === 'own' ? undefined : limit(door, rate, toRateKey(request.state), reply), () => {
      refuseAsScript(endpoint, request);
      if (refusal) throw refusal;
      mayCall(endpoint, caller);
      if (isStreamed(endpoint.bodyForms)) holdBody(door, request, reply);
    });
  });
}

/** What a browser would run or apply in the page that asks. */
const scriptDestinations: readonly unknown[] = [
  'script', 'style', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'paintworklet', 'xslt',
]; // biome-ignore format: a list of names

function refuseAsScript({ isPageAsset }: AnyEndpoint, { headers }: FastifyRequest): void {
  const destination = headers['sec-fetch-dest'];
  if (!isPageAsset && scriptDestinations.includes(destination))
    throw new ApiError('FORBIDDEN', `this address is not loaded as a ${destination} of a page`);
}

/** Whose calls count together: those of an account, or of an address. */
export const toRateKey = ({ caller, ip }: Pick<RunningRequest, 'caller' | 'ip'>): string =>
  caller.kind === 'user' ? `user:${caller.actor.userId}` : toAddressKey(ip);

function holdBody({ heldBodies, config }: Door, { state }: FastifyRequest, reply: FastifyReply): void {
  const { mostPerAccount, mostPerAddress } = config.uploads;
  const { caller } = state;
  const held = heldBodies.hold([
    { key: toAddressKey(state.ip), most: mostPerAddress },
    ...(caller.kind === 'user' ? [{ key: `user:${caller.actor.userId}`, most: mostPerAccount }] : []),
  ]);
  if (reply.raw.closed) held[Symbol.dispose]();
  else reply.raw.once('close', () => held[Symbol.dispose]());
}

export function limit(door: Door, rateClass: RateClass, who: string, reply: FastifyReply): Awaitable<void> {
  return andThen(door.limiter.count(rateClass, who), hit => {
    reply.headers(toHeaders(hit));
    refuseOverLimit(hit, door.clock.now());
  });
}
