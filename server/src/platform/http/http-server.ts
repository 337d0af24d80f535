// The HTTP door. Every route goes the same way: trace, who is it, how many calls are left, may they, is the input
// right, then the verb; results and errors become the envelope here and nowhere else.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import formbody from '@fastify/formbody';
import type { AnyEndpoint, RateClass } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type Awaitable, andThen } from '../awaitable.ts';
import { withoutSearch } from '../telemetry/log.ts';
import { withTrace } from '../telemetry/trace-context.ts';
import { admit, limit, toRateKey, watchTime } from './admit.ts';
import { toApiError, toEnvelope } from './answers.ts';
import { BodyPace } from './body-pace.ts';
import { openRefusals, type Refusals } from './broken-requests.ts';
import { Deadlines } from './deadlines.ts';
import type { Door, HttpOptions } from './door.ts';
import { FailureLog, shuttingDown } from './failure-log.ts';
import { clientGone, logRequest } from './log-request.ts';
import { ignoreTypeOfNothing, parseJson } from './parse-json.ts';
import { toAddressKey } from './rate-limit.ts';
import { findRefusedAct } from './refused-acts.ts';
import { cutOffLate, throwAwayRest, toBreak } from './request-body.ts';
import { freeWhatIsTaken, untilItsTurn } from './response-body.ts';
import type { PlainAnswer, Route } from './route.ts';
import { isStreamed, ParsedRequest, RunningRequest } from './running-request.ts';
import { type ShowError, tell } from './show-error.ts';

const maxJsonBytes = 1024 * 1024;
const maxHeaderBytes = 16 * 1024;
/** Large bodies arrive in large blocks: half as many turns for the same bytes. */
const bodyBlockBytes = 1024 * 1024;
const headersTimeoutMs = 15_000;
const keepAliveTimeoutMs = 65_000;
/** The framework destroys the stream of an answer whose client has disconnected, and reports that as an error. */
const unreadStreamCode = 'ERR_STREAM_PREMATURE_CLOSE';

declare module 'fastify' {
  interface FastifyRequest {
    state: RunningRequest;
  }
  interface FastifyInstance {
    showError: ShowError | null;
  }
}

/** The contracts check what comes in; without this the framework loads two compilers that nothing would ever ask. */
const noSchemas = (): never => {
  throw new Error('routes carry no schemas of the framework');
};

/** What the framework may do by itself: to route, to read small bodies, and nothing else. */
function openFramework(door: Door, refusals: Refusals): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: maxJsonBytes,
    forceCloseConnections: 'idle',
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: 0, // transfers may take hours and must only move; everything else has its deadline
    http: {
      highWaterMark: bodyBlockBytes,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false, // Node's own refusal would be empty; ours follows
    },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    return503OnClosing: false, // its answer is none of ours; see findRefusal
    frameworkErrors: (error, request, reply) => void refuseUnrouted(door, request, reply, toApiError(error)),
    clientErrorHandler: refusals.broken,
  });
  app.server.on('connect', (_request, socket) => refusals.tunnel(socket as Socket));
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response)); // ignored
  return app;
}

export async function buildHttp(given: HttpOptions, routes: readonly Route[]): Promise<FastifyInstance> {
  const { config } = given;
  const { minBytesPerSecond } = config.uploads;
  const door: Door = {
    ...given,
    requestLog: withoutSearch(given.log),
    failures: new FailureLog(given),
    deadlines: new Deadlines(config.requestTimeoutSeconds * 1000),
    pace: new BodyPace({ spanMs: config.stallTimeoutSeconds * 1000, minBytesPerSecond }),
  };
  const app = openFramework(door, openRefusals(door));
  app.decorate('showError', given.showError ?? null);
  app.decorateRequest('state', null as unknown as RunningRequest);
  app.addHook('onRoute', ({ method, url }) => given.onRoute?.(`${method} ${url}`));
  let isClosing = false;
  app.addHook('preClose', done => {
    isClosing = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    begin(door, request, reply);
    const refusal = findRefusal(request, isClosing);
    return refusal === undefined ? done() : refuseUnread(door, request, reply, refusal);
  });
  app.setErrorHandler((error, request, reply) => refuse(door, request, reply, toRefusal(request, reply, error)));
  await addRoutes(app, door, routes);
  return app;
}

/** Each route where bodies are read as it takes them. */
async function addRoutes(app: FastifyInstance, door: Door, routes: readonly Route[]): Promise<void> {
  const byForm = Map.groupBy(routes, ({ endpoint }) => toParsing(endpoint));
  app.removeContentTypeParser(['text/plain', 'application/json']);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(body),
  );
  for (const route of byForm.get('json') ?? []) addRoute(app, door, route);
  await app.register(async scope => {
    await scope.register(formbody, { bodyLimit: maxJsonBytes });
    for (const route of byForm.get('form') ?? []) addRoute(scope, door, route);
  });
  await app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null)); // left unread: the verb streams it
    scope.addHook('onSend', (request, _reply, payload, done) => {
      throwAwayRest(request.raw);
      done(null, payload);
    });
    for (const route of byForm.get('stream') ?? []) addRoute(scope, door, route);
  });
}

function findRefusal({ is404, raw }: FastifyRequest, isClosing: boolean): ApiError | undefined {
  if (isClosing) return new ApiError('SERVICE_UNAVAILABLE', shuttingDown, { retryAfterSeconds: 5 });
  if (is404) return new ApiError('NOT_FOUND', 'there is nothing at this address');
  if (raw.httpVersionMajor !== 1) return new ApiError('BAD_REQUEST', 'this server speaks HTTP/1.1');
  if (raw.headers.host === undefined && raw.httpVersion === '1.1')
    return new ApiError('BAD_REQUEST', 'the Host header is missing');
  const twice = standOnce.find(name => isTwice(name, raw.rawHeaders));
  return twice === undefined ? undefined : new ApiError('BAD_REQUEST', `there is more than one ${twice} header`);
}

/** The parser keeps the first; what stands before this server may go by the last. */
const standOnce = ['Host', 'Authorization'] as const;

/** Names and values take turns. */
function isTwice(name: string, raw: readonly string[]): boolean {
  const isNamed = (header: string, at: number) =>
    at % 2 === 0 && header.length === name.length && header.toLowerCase() === name.toLowerCase();
  return raw.findIndex(isNamed) !== raw.findLastIndex(isNamed);
}

/** A form is read only where the contract lists it: any page may make a browser send one here, without asking first. */
const toParsing = ({ bodyForms }: AnyEndpoint): 'json' | 'form' | 'stream' =>
  isStreamed(bodyForms) ? 'stream' : bodyForms.includes('form') ? 'form' : 'json';

function begin(door: Door, request: FastifyRequest, reply: FastifyReply): void {
  const refuse = (error: ApiError) => refuseLate(door, request, reply, error);
  request.state = new RunningRequest(request, reply, door, refuse);
  reply.header('x-trace-id', request.state.trace.traceId).header('x-content-type-options', 'nosniff');
  reply.raw.on('close', () => observe(door, request, reply)); // one listener; the framework's own hook makes four
}

/** Refuses what no route is asked about: it is counted and timed like any other, but its body is never waited for. */
function refuseUnread(door: Door, request: FastifyRequest, reply: FastifyReply, refusal: ApiError): Awaitable<void> {
  door.deadlines.watch(request.state);
  return andThen(limit(door, 'other', toAddressKey(request.state.ip), reply), () => {
    throw refusal;
  });
}

/** What the router refuses never meets the hooks. */
async function refuseUnrouted(door: Door, request: FastifyRequest, reply: FastifyReply, refusal: ApiError) {
  begin(door, request, reply);
  try {
    await refuseUnread(door, request, reply, refusal);
  } catch (error) {
    sendError(reply, logged(door, request, toApiError(error)));
  }
}

export const toFastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1').replace(/\*\*$/, '*');

function addRoute(app: FastifyInstance, door: Door, route: Route): void {
  const { endpoint } = route;
  const rejectedRate = endpoint.rejectedRate ?? (endpoint.rate === 'own' ? 'other' : undefined);
  const toOptions = (url: string) => ({
    url,
    method: endpoint.method,
    ...(endpoint.maxBodyBytes !== undefined && { bodyLimit: endpoint.maxBodyBytes }),
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      request.state.route = url;
      request.state.endpoint = endpoint;
      if (!isStreamed(endpoint.bodyForms)) ignoreTypeOfNothing(request);
      watchTime(door, endpoint, request, reply);
      const admitted = admit(door, endpoint, request, reply);
      return admitted instanceof Promise ? admitted : done();
    },
    ...(rejectedRate !== undefined && {
      errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
        rejectCounted(door, rejectedRate, error, request, reply),
    }),
    handler: (request: FastifyRequest, reply: FastifyReply) => answer(door, route, request, reply),
  });
  for (const path of [endpoint.path, ...endpoint.aliases]) app.route(toOptions(toFastifyPath(path)));
}

/** A call that does not reach the verb that would have counted it is counted here. */
async function rejectCounted(
  door: Door,
  rateClass: RateClass,
  error: unknown,
  raw: FastifyRequest,
  reply: FastifyReply,
) {
  let rejection = toRefusal(raw, reply, error);
  try {
    const isCounted = raw.state.hasReachedVerb || rejection.kind === 'RATE_LIMITED';
    if (!isCounted) await limit(door, rateClass, toRateKey(raw.state), reply);
  } catch (overLimit) {
    rejection = toApiError(overLimit);
  }
  return refuse(door, raw, reply, rejection);
}

function answer(door: Door, { endpoint, handle }: Route, raw: FastifyRequest, reply: FastifyReply): Awaitable<unknown> {
  const turn = endpoint.answerForm === 'bytes' ? untilItsTurn(reply.raw) : undefined;
  const parsed = andThen(turn, () => new ParsedRequest(door, endpoint, raw, reply));
  return andThen(
    andThen(parsed, request => {
      raw.state.hasReachedVerb = true;
      return withTrace(raw.state.trace, () => handle(request));
    }),
    result => {
      if (reply.sent || reply.raw.headersSent) {
        if (endpoint.answerForm === 'events') record(door, raw, reply); // at its begin: it may last for days
        return;
      }
      if (endpoint.answerForm === 'envelope') return sendEnvelope(reply, toEnvelope(result));
      return sendPlain(reply, result as PlainAnswer);
    },
  );
}

function sendEnvelope(reply: FastifyReply, envelope: string): void {
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  reply.header('content-type', 'application/json; charset=utf-8').send(envelope);
}

/** Answers with the reply itself: a stream has sent nothing yet when this returns, and must not be taken for no answer. */
function sendPlain(reply: FastifyReply, { status = 200, headers, body, ownsBlocks }: PlainAnswer): FastifyReply {
  if (headers) reply.headers(headers);
  if (ownsBlocks) freeWhatIsTaken(reply.raw);
  // No body is an empty stream: of anything else the framework would announce a length and a type, also for 304 and HEAD.
  return reply.code(status).send(body ?? Readable.from([]));
}

/** What a client broke off is its own doing, whatever failed of it: no error of ours, and of no service behind us. */
function toRefusal({ raw }: FastifyRequest, reply: FastifyReply, error: unknown): ApiError {
  const isAnswerBroken = reply.raw.destroyed && (error as { code?: unknown }).code === unreadStreamCode;
  return error === raw.errored || isAnswerBroken ? toBreak(error) : toApiError(error);
}

/** A refused act is in the audit log before its answer is sent. */
function refuse(door: Door, request: FastifyRequest, reply: FastifyReply, error: ApiError): Awaitable<FastifyReply> {
  const act = door.recordRefused === undefined ? null : findRefusedAct(door.clock, request, error);
  return andThen(act === null ? undefined : door.recordRefused?.(act), () =>
    reply.sent ? reply : sendError(reply, logged(door, request, error)),
  );
}

/** What has begun to be sent cannot be taken back, only broken off. */
function refuseLate(door: Door, request: FastifyRequest, reply: FastifyReply, error: ApiError): void {
  if (reply.sent || reply.raw.destroyed) return;
  if (reply.raw.headersSent) return void reply.raw.destroy();
  if (!request.raw.complete) reply.header('connection', 'close'); // what may still come is no next request
  sendError(reply, logged(door, request, error));
}

function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(error.status).header('cache-control', 'no-store');
  const { headers, state } = reply.request;
  const told = tell(error, headers, state.trace.traceId, reply.server.showError);
  return reply.headers(told.headers).send(told.body);
}

function logged({ failures }: Door, request: FastifyRequest, error: ApiError): ApiError {
  failures.add(request, error);
  return error;
}

function observe(door: Door, request: FastifyRequest, reply: FastifyReply): void {
  door.deadlines.forget(request.state);
  door.pace.forget(request.raw);
  cutOffLate(request.raw, door.deadlines.limitMs);
  if (reply.raw.writableFinished) record(door, request, reply);
  else logRequest(door.requestLog, request, clientGone);
}

function record({ requestLog, observe: see }: Door, request: FastifyRequest, reply: FastifyReply): void {
  const { state, method } = request;
  const seconds = (performance.now() - state.startedAt) / 1000;
  see({ method, path: state.route, status: reply.statusCode, seconds });
  state.span?.end({ route: state.route, status: reply.statusCode });
  logRequest(requestLog, request, reply.statusCode);
}
