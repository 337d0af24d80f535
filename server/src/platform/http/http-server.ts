// The HTTP door. Every route goes the same way: trace, who is it, how many calls are left, may they, is the input
// right, then the verb; results and errors become the envelope here and nowhere else.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import formbody from '@fastify/formbody';
import type { AnyEndpoint, RateClass } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type Awaitable, andThen } from '../awaitable.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import { withTrace } from '../telemetry/trace-context.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { toApiError, toEnvelope, toErrorEnvelope } from './answers.ts';
import { refuseBroken, refuseTunnel } from './broken-requests.ts';
import { Deadlines } from './deadlines.ts';
import { type IdentifyPorts, identify, mayCall } from './identify.ts';
import { type RateLimiter, refuseOverLimit, toAddressKey, toHeaders } from './rate-limit.ts';
import { cutOffLate, throwAwayRest } from './request-body.ts';
import type { PlainAnswer, Route } from './route.ts';
import { isStreamed, ParsedRequest, RunningRequest } from './running-request.ts';
import { letGoWhenStalled } from './stalled-transfers.ts';

export const maxJsonBytes = 1024 * 1024;
const maxHeaderBytes = 16 * 1024;
/** Large bodies arrive in large blocks: half as many turns for the same bytes. */
const bodyBlockBytes = 1024 * 1024;
const headersTimeoutMs = 15_000;
const keepAliveTimeoutMs = 65_000;

export type HttpConfig = {
  readonly trustedProxies: readonly string[];
  readonly requestTimeoutSeconds: number;
  /** How long a file may stand still on its way in or out. */
  readonly stallTimeoutSeconds: number;
};

export type HttpPorts = IdentifyPorts & {
  readonly config: HttpConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly limiter: RateLimiter;
  readonly observe: (seen: Observation) => void;
  /** Told what the framework has really taken on, as `GET /path/:name`. */
  readonly onRoute?: (route: string) => void;
  /** Absent: requests carry their caller's trace on, but no spans are made. */
  readonly tracing?: Pick<Tracing, 'startRequest'> | undefined;
};

export type Observation = { method: string; path: string; status: number; seconds: number };

declare module 'fastify' {
  interface FastifyRequest {
    state: RunningRequest;
  }
}

/** What is opened once for all requests. */
type Door = HttpPorts & { readonly deadlines: Deadlines };

/** The contracts check what comes in; without this the framework loads two compilers that nothing would ever ask. */
const noSchemas = (): never => {
  throw new Error('routes carry no schemas of the framework');
};

export async function buildHttp(given: HttpPorts, routes: readonly Route[]): Promise<FastifyInstance> {
  const { config } = given;
  const ports: Door = { ...given, deadlines: new Deadlines(config.requestTimeoutSeconds * 1000) };
  const app = fastify({
    logger: false,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
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
    frameworkErrors: (error, request, reply) => void refuseUnrouted(ports, request, reply, toApiError(error)),
    clientErrorHandler: (error, socket) => refuseBroken(ports, error, socket),
  });
  app.server.on('connect', (_request, socket) => refuseTunnel(ports, socket as Socket));
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response)); // ignored
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('state', null as unknown as RunningRequest);
  app.addHook('onRoute', ({ method, url }) => given.onRoute?.(`${method} ${url}`));
  let isClosing = false;
  app.addHook('preClose', done => {
    isClosing = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    begin(ports, request, reply);
    const refusal = findRefusal(request, isClosing);
    return refusal === undefined ? done() : refuseUnread(ports, request, reply, refusal);
  });
  app.setErrorHandler((error, request, reply) => sendError(reply, logged(ports.log, request, toApiError(error))));
  const byForm = Map.groupBy(routes, ({ endpoint }) => toParsing(endpoint));
  for (const route of byForm.get('json') ?? []) addRoute(app, ports, route);
  await app.register(async scope => {
    await scope.register(formbody, { bodyLimit: maxJsonBytes });
    for (const route of byForm.get('form') ?? []) addRoute(scope, ports, route);
  });
  await app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null)); // left unread: the verb streams it
    scope.addHook('onSend', (request, _reply, payload, done) => {
      throwAwayRest(request.raw);
      done(null, payload);
    });
    for (const route of byForm.get('stream') ?? []) addRoute(scope, ports, route);
  });
  return app;
}

function findRefusal({ is404, raw }: FastifyRequest, isClosing: boolean): ApiError | undefined {
  if (isClosing) return new ApiError('SERVICE_UNAVAILABLE', 'this server is shutting down', { retryAfterSeconds: 5 });
  if (is404) return new ApiError('NOT_FOUND', 'there is nothing at this address');
  if (raw.headers.host === undefined && raw.httpVersion === '1.1')
    return new ApiError('BAD_REQUEST', 'the Host header is missing');
  return undefined;
}

/** A form is read only where the contract lists it: any page may make a browser send one here, without asking first. */
const toParsing = ({ bodyForms }: AnyEndpoint): 'json' | 'form' | 'stream' =>
  isStreamed(bodyForms) ? 'stream' : bodyForms.includes('form') ? 'form' : 'json';

function begin(ports: Door, request: FastifyRequest, reply: FastifyReply): void {
  request.state = new RunningRequest(request, reply, ports.tracing, error => refuseLate(ports, request, reply, error));
  reply.header('x-trace-id', request.state.trace.traceId).header('x-content-type-options', 'nosniff');
  reply.raw.on('close', () => observe(ports, request, reply)); // one listener; the framework's own hook makes four
}

/** Refuses what no route is asked about: it is counted and timed like any other, but its body is never waited for. */
function refuseUnread(ports: Door, request: FastifyRequest, reply: FastifyReply, refusal: ApiError): Awaitable<void> {
  ports.deadlines.watch(request.state);
  return andThen(limit(ports, 'other', toAddressKey(request.ip), reply), () => {
    throw refusal;
  });
}

/** What the router refuses never meets the hooks. */
async function refuseUnrouted(ports: Door, request: FastifyRequest, reply: FastifyReply, refusal: ApiError) {
  begin(ports, request, reply);
  try {
    await refuseUnread(ports, request, reply, refusal);
  } catch (error) {
    sendError(reply, logged(ports.log, request, toApiError(error)));
  }
}

export const toFastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1').replace(/\*\*$/, '*');

function addRoute(app: FastifyInstance, ports: Door, route: Route): void {
  const { endpoint } = route;
  const needsTime =
    isStreamed(endpoint.bodyForms) || endpoint.answerForm === 'bytes' || endpoint.answerForm === 'events';
  const stallMs = ports.config.stallTimeoutSeconds * 1000;
  const toOptions = (url: string) => ({
    url,
    method: endpoint.method,
    ...(endpoint.maxBodyBytes !== undefined && { bodyLimit: endpoint.maxBodyBytes }),
    onRequest: (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      request.state.route = url;
      if (!needsTime) ports.deadlines.watch(request.state);
      else if (endpoint.answerForm !== 'events') letGoWhenStalled(request.raw, reply.raw, stallMs);
      const admitted = admit(ports, endpoint, request, reply);
      return admitted instanceof Promise ? admitted : done();
    },
    handler: (request: FastifyRequest, reply: FastifyReply) => answer(ports, route, request, reply),
  });
  for (const path of [endpoint.path, ...endpoint.aliases]) app.route(toOptions(toFastifyPath(path)));
}

/** Without a promise as long as nothing outside of this process has to be asked. */
function admit(ports: Door, endpoint: AnyEndpoint, request: FastifyRequest, reply: FastifyReply): Awaitable<void> {
  return andThen(identify(ports, endpoint, request), ({ caller, refusal }) => {
    request.state.caller = caller;
    const who = caller.kind === 'user' ? `user:${caller.actor.userId}` : toAddressKey(request.ip);
    return andThen(limit(ports, endpoint.rate, who, reply), () => {
      if (refusal) throw refusal;
      mayCall(endpoint, caller);
    });
  });
}

function limit(ports: Door, rateClass: RateClass, who: string, reply: FastifyReply): Awaitable<void> {
  return andThen(ports.limiter.count(rateClass, who), hit => {
    reply.headers(toHeaders(hit));
    refuseOverLimit(hit, ports.clock.now());
  });
}

function answer(
  ports: Door,
  { endpoint, handle }: Route,
  raw: FastifyRequest,
  reply: FastifyReply,
): Awaitable<unknown> {
  const request = new ParsedRequest(ports, endpoint, raw, reply);
  return andThen(
    withTrace(raw.state.trace, () => handle(request)),
    result => {
      if (reply.sent || reply.raw.headersSent) {
        if (endpoint.answerForm === 'events') record(ports, raw, reply); // at its begin: it may last for days
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
function sendPlain(reply: FastifyReply, { status = 200, headers, body }: PlainAnswer): FastifyReply {
  if (headers) reply.headers(headers);
  // No body is an empty stream: of anything else the framework would announce a length and a type, also for 304 and HEAD.
  return reply.code(status).send(body ?? Readable.from([]));
}

/** What has begun to be sent cannot be taken back, only broken off. */
function refuseLate({ log }: Door, request: FastifyRequest, reply: FastifyReply, error: ApiError): void {
  if (reply.sent || reply.raw.destroyed) return;
  if (reply.raw.headersSent) reply.raw.destroy();
  else sendError(reply, logged(log, request, error));
}

function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(error.status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(toErrorEnvelope(error));
}

function logged(log: Log, request: FastifyRequest, error: ApiError): ApiError {
  if (error.status >= 500) {
    log.error(
      { traceId: request.state.trace.traceId, err: error.cause ?? error },
      `${request.method} ${request.state.route} failed: ${error.message}`, // the pattern: a path may open something
    );
  }
  return error;
}

function observe(ports: Door, request: FastifyRequest, reply: FastifyReply): void {
  ports.deadlines.forget(request.state);
  cutOffLate(request.raw, ports.deadlines.limitMs);
  if (reply.raw.writableFinished) record(ports, request, reply); // else the client went away
}

function record({ log, observe: see }: Door, request: FastifyRequest, reply: FastifyReply): void {
  const seconds = (performance.now() - request.state.startedAt) / 1000;
  const path = request.state.route;
  see({ method: request.method, path, status: reply.statusCode, seconds });
  request.state.span?.end({ route: path, status: reply.statusCode });
  const quiet = request.method === 'GET' && reply.statusCode < 400;
  if (!log.isLevelEnabled(quiet ? 'debug' : 'info')) return;
  const entry = {
    traceId: request.state.trace.traceId,
    method: request.method,
    path,
    status: reply.statusCode,
    ms: Math.round(seconds * 1000),
  };
  log[quiet ? 'debug' : 'info'](entry, `${request.method} ${path} ${reply.statusCode}`);
}
