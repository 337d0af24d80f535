// The HTTP door. Every route goes the same way: trace, who is it, how many calls are left, may they, is the input
// right, then the verb; results and errors become the envelope here and nowhere else.
import { Readable } from 'node:stream';
import formbody from '@fastify/formbody';
import type { AnyEndpoint, BodyForm, RateClass } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import { parseTrace, startTrace, type TraceContext, withTrace } from '../telemetry/trace-context.ts';
import type { RequestSpan, Tracing } from '../telemetry/tracing.ts';
import { toApiError, toEnvelope, toErrorEnvelope } from './answers.ts';
import { type Authenticate, anonymous, type Caller, isOperator } from './caller.ts';
import { parseInput } from './parse.ts';
import { type RateLimiter, refuseOverLimit, toHeaders } from './rate-limit.ts';
import { openBody, throwAwayRest } from './request-body.ts';
import type { PlainAnswer, Request, Route } from './route.ts';

export const maxJsonBytes = 1024 * 1024;
const maxHeaderBytes = 16 * 1024;
/** Large bodies arrive in large blocks: half as many turns for the same bytes. */
const bodyBlockBytes = 1024 * 1024;
const headersTimeoutMs = 15_000;
const keepAliveTimeoutMs = 65_000;

export type HttpConfig = {
  readonly trustedProxies: readonly string[];
  readonly requestTimeoutSeconds: number;
};

export type HttpPorts = {
  readonly config: HttpConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly limiter: RateLimiter;
  readonly authenticate: Authenticate;
  readonly observe: (seen: Observation) => void;
  /** Absent: requests carry their caller's trace on, but no spans are made. */
  readonly tracing?: Pick<Tracing, 'startRequest'> | undefined;
};

export type Observation = { method: string; path: string; status: number; seconds: number };

/** What the hooks find out about a request, kept beside it. */
type State = { trace: TraceContext; span: RequestSpan | undefined; caller: Caller; startedAt: number };

declare module 'fastify' {
  interface FastifyRequest {
    state: State;
  }
}

function openState({ tracing }: HttpPorts, { method, headers }: FastifyRequest): State {
  const caller = parseTrace(headers.traceparent, headers.tracestate);
  const span = tracing?.startRequest(method, caller);
  return { trace: span?.trace ?? caller ?? startTrace(), span, caller: anonymous, startedAt: performance.now() };
}

/** The contracts check what comes in; without this the framework loads two compilers that nothing would ever ask. */
const noSchemas = (): never => {
  throw new Error('routes carry no schemas of the framework');
};

const isStreamed = (forms: readonly BodyForm[]): boolean => forms.includes('bytes') || forms.includes('multipart');

export async function buildHttp(ports: HttpPorts, routes: readonly Route[]): Promise<FastifyInstance> {
  const { config } = ports;
  const app = fastify({
    logger: false,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    bodyLimit: maxJsonBytes,
    forceCloseConnections: 'idle',
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: 0, // streamed uploads may take hours; everything else has its handlerTimeout
    http: {
      highWaterMark: bodyBlockBytes,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: 5_000,
    },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    return503OnClosing: true,
    frameworkErrors: (error, _request, reply) => sendError(reply, toApiError(error)),
  });
  await app.register(formbody, { bodyLimit: maxJsonBytes });
  app.decorateRequest('state', null as unknown as State);
  app.addHook('onRequest', (request, reply, done) => {
    request.state = openState(ports, request);
    reply.header('x-trace-id', request.state.trace.traceId).header('x-content-type-options', 'nosniff');
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    observe(ports, request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(reply, logged(ports.log, request, toApiError(error))));
  app.setNotFoundHandler({ preHandler: limitByAddress(ports, 'other') }, (_request, reply) =>
    sendError(reply, new ApiError('NOT_FOUND', 'there is nothing at this address')),
  );
  const streamed = routes.filter(route => isStreamed(route.endpoint.bodyForms));
  for (const route of routes) if (!streamed.includes(route)) addRoute(app, ports, route);
  await app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null)); // left unread: the verb streams it
    scope.addHook('onSend', (request, _reply, payload, done) => {
      throwAwayRest(request.raw);
      done(null, payload);
    });
    for (const route of streamed) addRoute(scope, ports, route);
  });
  return app;
}

export const toFastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1').replace(/\*\*$/, '*');

function addRoute(app: FastifyInstance, ports: HttpPorts, route: Route): void {
  const { endpoint } = route;
  const needsTime =
    isStreamed(endpoint.bodyForms) || endpoint.answerForm === 'bytes' || endpoint.answerForm === 'events';
  const options = {
    method: endpoint.method,
    ...(!needsTime && { handlerTimeout: ports.config.requestTimeoutSeconds * 1000 }),
    ...(endpoint.maxBodyBytes !== undefined && { bodyLimit: endpoint.maxBodyBytes }),
    onRequest: (request: FastifyRequest, reply: FastifyReply) => admit(ports, endpoint, request, reply),
    handler: (request: FastifyRequest, reply: FastifyReply) => answer(ports, route, request, reply),
  };
  for (const path of [endpoint.path, ...endpoint.aliases]) app.route({ ...options, url: toFastifyPath(path) });
}

async function admit(
  ports: HttpPorts,
  endpoint: AnyEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { caller, refusal } = await identify(ports, endpoint, request);
  request.state.caller = caller;
  const who = caller.kind === 'user' ? `user:${caller.actor.userId}` : `ip:${request.ip}`;
  await limit(ports, endpoint.rate, who, reply);
  if (refusal) throw refusal;
  mayCall(endpoint, caller);
}

async function identify(
  ports: HttpPorts,
  endpoint: AnyEndpoint,
  request: FastifyRequest,
): Promise<{ caller: Caller; refusal?: ApiError }> {
  const header = request.headers.authorization;
  if (endpoint.access === 'anonymous' || header === undefined) return { caller: anonymous };
  const token = /^Bearer ([^\s]{1,4096})$/i.exec(header)?.[1];
  try {
    if (token === undefined) throw new ApiError('PERMISSION_TOKEN_INVALID');
    return { caller: await ports.authenticate(token) };
  } catch (error) {
    const refusal = toApiError(error);
    if (refusal.status !== 401) throw refusal;
    return endpoint.access === 'optional' ? { caller: anonymous } : { caller: anonymous, refusal };
  }
}

async function limit(ports: HttpPorts, rateClass: RateClass, who: string, reply: FastifyReply): Promise<void> {
  const counted = ports.limiter.count(rateClass, who);
  const hit = counted instanceof Promise ? await counted : counted;
  reply.headers(toHeaders(hit));
  refuseOverLimit(hit, ports.clock.now());
}

const limitByAddress = (ports: HttpPorts, rateClass: RateClass) => (request: FastifyRequest, reply: FastifyReply) =>
  limit(ports, rateClass, `ip:${request.ip}`, reply);

function mayCall({ access }: AnyEndpoint, caller: Caller): void {
  if (access === 'anonymous' || access === 'optional') return;
  if (access === 'management' && isOperator(caller)) return;
  if (caller.kind !== 'user') throw new ApiError('UNAUTHORIZED');
  if (access === 'signed-in') return;
  if (access === 'management' || !caller.actor.permissions.has(access)) throw new ApiError('FORBIDDEN');
}

async function answer(
  ports: HttpPorts,
  route: Route,
  fastifyRequest: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { endpoint } = route;
  const request = toRequest(ports, endpoint, fastifyRequest, reply);
  const result = await withTrace(fastifyRequest.state.trace, () => route.handle(request));
  if (reply.sent || reply.raw.headersSent) return reply;
  if (endpoint.answerForm === 'envelope') {
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    return reply.type('application/json; charset=utf-8').send(toEnvelope(result));
  }
  const plain = result as PlainAnswer;
  if (plain.headers) reply.headers(plain.headers);
  // No body is an empty stream: of anything else the framework would announce a length and a type, also for 304 and HEAD.
  return reply.code(plain.status ?? 200).send(plain.body ?? Readable.from([]));
}

function toRequest(ports: HttpPorts, endpoint: AnyEndpoint, raw: FastifyRequest, reply: FastifyReply): Request {
  const { caller, trace } = raw.state;
  let signal: AbortSignal | undefined;
  return {
    params: endpoint.params ? parseInput(endpoint.params, toParams(raw.params), 'path') : undefined,
    query: endpoint.query ? parseInput(endpoint.query, raw.query, 'query') : undefined,
    body:
      endpoint.body && !isStreamed(endpoint.bodyForms)
        ? parseInput(endpoint.body, raw.body ?? undefined, 'body')
        : undefined,
    caller,
    get actor() {
      if (caller.kind !== 'user')
        throw new Error(`${endpoint.name} asks for an account, but its access class lets others in`);
      return caller.actor;
    },
    ip: raw.ip,
    method: raw.method,
    url: maskQuery(raw.url),
    headers: raw.headers,
    traceId: trace.traceId,
    startedAt: ports.clock.now(),
    log: ports.log,
    get signal() {
      signal ??= openSignal(reply);
      return signal;
    },
    stream: openBody(raw.raw),
    setHeader: (name, value) => void reply.header(name, value),
    hijack: () => {
      reply.hijack();
      return reply.raw;
    },
  };
}

/** The answer tells when a client has gone: the request itself ends as soon as its body is read. */
function openSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  else reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Fastify calls a wildcard `*`; the contracts call it `path`. */
const toParams = (params: unknown): unknown => {
  const { '*': path, ...named } = params as Record<string, string>;
  return path === undefined ? named : { ...named, path };
};

/** Query values may be one-time tokens or signatures: logs and audit rows get the names only. */
export const maskQuery = (url: string): string => url.replace(/([?&][^=&]*=)[^&]*/g, '$1…');

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
      `${request.method} ${maskQuery(request.url)} failed: ${error.message}`,
    );
  }
  return error;
}

function observe({ log, observe: see }: HttpPorts, request: FastifyRequest, reply: FastifyReply): void {
  const seconds = (performance.now() - request.state.startedAt) / 1000;
  const path = request.routeOptions.url ?? '(none)';
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
