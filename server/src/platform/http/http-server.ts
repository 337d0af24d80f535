// HTTP server. Every request passes the same steps: trace, authentication, rate limit, authorization, input validation,
// handler; results and errors become the envelope here and nowhere else.
import type { Socket } from 'node:net';
import formbody from '@fastify/formbody';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type Awaitable, andThen } from '../awaitable.ts';
import { withoutSearch } from '../telemetry/log.ts';
import { withTrace } from '../telemetry/trace-context.ts';
import { admit, limit, watchTime } from './admit-request.ts';
import { toApiError, toEnvelope } from './answers.ts';
import { BodyPace } from './body-pace.ts';
import { openRejections, type Rejections } from './broken-requests.ts';
import { Deadlines } from './deadlines.ts';
import type { HttpContext, HttpOptions } from './http-context.ts';
import { ignoreTypeOfNothing, parseJson } from './parse.ts';
import { toAddressKey } from './rate-limit.ts';
import { logged, reject, rejectCounted, rejectLate, sendError, toRejection } from './reject.ts';
import { discardRest, disconnectLate } from './request-body.ts';
import { clientGone, FailureLog, logRequest, shuttingDown } from './request-log.ts';
import { waitForTurn } from './response-body.ts';
import type { PlainAnswer, Route } from './route.ts';
import { isStreamed, ParsedRequest, RunningRequest } from './running-request.ts';
import { dropBody, sendEnvelope, sendPlain } from './send-answer.ts';
import type { ShowError } from './show-error.ts';

const maxJsonBytes = 1024 * 1024;
const maxHeaderBytes = 16 * 1024;
/** Large blocks halve the number of event loop turns for large bodies. */
const bodyBlockBytes = 1024 * 1024;
const headersTimeoutMs = 15_000;
const keepAliveTimeoutMs = 65_000;
declare module 'fastify' {
  interface FastifyRequest {
    state: RunningRequest;
  }
  interface FastifyInstance {
    showError: ShowError | null;
  }
}

/** Input is validated by the contracts; the framework would otherwise load two unused schema compilers. */
const noSchemas = (): never => {
  throw new Error('a route declares a Fastify schema; input is validated by the contract of its endpoint');
};

/** The framework is used for routing and for reading small bodies only. */
function openFramework(context: HttpContext, rejections: Rejections): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: maxJsonBytes,
    forceCloseConnections: 'idle',
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: 0, // transfers only have to make progress; all other requests have deadlines
    http: {
      highWaterMark: bodyBlockBytes,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: 5_000,
      requireHostHeader: false, // Node's own response has no body; ours follows
    },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    return503OnClosing: false, // findRejection sends ours instead
    frameworkErrors: (error, request, reply) => void rejectUnrouted(context, request, reply, toApiError(error)),
    clientErrorHandler: rejections.broken,
  });
  app.server.on('connect', (_request, socket) => rejections.tunnel(socket as Socket));
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response)); // ignored
  return app;
}

export async function buildHttp(options: HttpOptions, routes: readonly Route[]): Promise<FastifyInstance> {
  const { config } = options;
  const { minBytesPerSecond } = config.uploads;
  const context: HttpContext = {
    ...options,
    requestLog: withoutSearch(options.log),
    failures: new FailureLog(options),
    deadlines: new Deadlines(config.requestTimeoutSeconds * 1000),
    pace: new BodyPace({ spanMs: config.stallTimeoutSeconds * 1000, minBytesPerSecond }),
  };
  const app = openFramework(context, openRejections(context));
  app.decorate('showError', options.showError ?? null);
  app.decorateRequest('state', null as unknown as RunningRequest);
  app.addHook('onRoute', ({ method, url }) => options.onRoute?.(`${method} ${url}`));
  let isClosing = false;
  app.addHook('preClose', done => {
    isClosing = true;
    done();
  });
  app.addHook('onRequest', (request, reply, done) => {
    begin(context, request, reply);
    const rejection = findRejection(request, isClosing);
    return rejection === undefined ? done() : rejectUnread(context, request, reply, rejection);
  });
  app.setErrorHandler((error, request, reply) => reject(context, request, reply, toRejection(request, reply, error)));
  await addRoutes(app, context, routes);
  return app;
}

/** Groups routes by the way in which their bodies are read. */
async function addRoutes(app: FastifyInstance, context: HttpContext, routes: readonly Route[]): Promise<void> {
  const byForm = Map.groupBy(routes, ({ endpoint }) => toParsing(endpoint));
  app.removeContentTypeParser(['text/plain', 'application/json']);
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(body),
  );
  for (const route of byForm.get('json') ?? []) addRoute(app, context, route);
  await app.register(async scope => {
    await scope.register(formbody, { bodyLimit: maxJsonBytes });
    for (const route of byForm.get('form') ?? []) addRoute(scope, context, route);
  });
  await app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null)); // unread: the handler streams it
    scope.addHook('onSend', (request, _reply, payload, done) => {
      discardRest(request.raw);
      done(null, payload);
    });
    for (const route of byForm.get('stream') ?? []) addRoute(scope, context, route);
  });
}

function findRejection({ is404, raw }: FastifyRequest, isClosing: boolean): ApiError | undefined {
  if (isClosing) return new ApiError('SERVICE_UNAVAILABLE', shuttingDown, { retryAfterSeconds: 5 });
  if (is404) return new ApiError('NOT_FOUND', 'there is nothing at this address');
  if (raw.httpVersionMajor !== 1) return new ApiError('BAD_REQUEST', 'this server speaks HTTP/1.1');
  if (raw.headers.host === undefined && raw.httpVersion === '1.1')
    return new ApiError('BAD_REQUEST', 'the Host header is missing');
  const twice = standOnce.find(name => isTwice(name, raw.rawHeaders));
  return twice === undefined ? undefined : new ApiError('BAD_REQUEST', `there is more than one ${twice} header`);
}

/** Headers that may occur only once: the parser takes the first, a proxy in front might take the last. */
const standOnce = ['Host', 'Authorization'] as const;

/** Raw headers alternate between name and value. */
function isTwice(name: string, raw: readonly string[]): boolean {
  const isNamed = (header: string, at: number) =>
    at % 2 === 0 && header.length === name.length && header.toLowerCase() === name.toLowerCase();
  return raw.findIndex(isNamed) !== raw.findLastIndex(isNamed);
}

/** Forms are parsed only for endpoints that list them: any site can submit a form here without a preflight. */
const toParsing = ({ bodyForms }: AnyEndpoint): 'json' | 'form' | 'stream' =>
  isStreamed(bodyForms) ? 'stream' : bodyForms.includes('form') ? 'form' : 'json';

function begin(context: HttpContext, request: FastifyRequest, reply: FastifyReply): void {
  const reject = (error: ApiError) => rejectLate(context, request, reply, error);
  request.state = new RunningRequest(request, reply, context, reject);
  reply.header('x-trace-id', request.state.trace.traceId).header('x-content-type-options', 'nosniff');
  reply.raw.on('close', () => observe(context, request, reply)); // one listener; the framework's hook adds four
}

/** Rejects a request before routing: counted and timed like any other, but its body is not awaited. */
function rejectUnread(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  rejection: ApiError,
): Awaitable<void> {
  context.deadlines.watch(request.state);
  return andThen(limit(context, 'other', toAddressKey(request.state.ip), reply), () => {
    throw rejection;
  });
}

/** Errors of the router bypass the hooks. */
async function rejectUnrouted(context: HttpContext, request: FastifyRequest, reply: FastifyReply, rejection: ApiError) {
  begin(context, request, reply);
  try {
    await rejectUnread(context, request, reply, rejection);
  } catch (error) {
    sendError(reply, logged(context, request, toApiError(error)));
  }
}

export const toFastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1').replace(/\*\*$/, '*');

function addRoute(app: FastifyInstance, context: HttpContext, route: Route): void {
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
      watchTime(context, endpoint, request, reply);
      const admitted = admit(context, route, request, reply);
      return admitted instanceof Promise ? admitted : done();
    },
    ...(rejectedRate !== undefined && {
      errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
        rejectCounted(context, rejectedRate, error, request, reply),
    }),
    handler: (request: FastifyRequest, reply: FastifyReply) => answer(context, route, request, reply),
  });
  for (const path of [endpoint.path, ...endpoint.aliases]) app.route(toOptions(toFastifyPath(path)));
}

function answer(
  context: HttpContext,
  { endpoint, handle }: Route,
  raw: FastifyRequest,
  reply: FastifyReply,
): Awaitable<unknown> {
  const turn = endpoint.answerForm === 'bytes' ? waitForTurn(reply.raw) : undefined;
  const parsed = andThen(turn, () => new ParsedRequest(context, endpoint, raw, reply).narrowed());
  return andThen(
    andThen(parsed, request => {
      raw.state.hasReachedVerb = true;
      return andThen(
        withTrace(raw.state.trace, () => handle(request)),
        result => {
          request.assertNarrowed();
          return result;
        },
      );
    }),
    result => {
      if (reply.sent || reply.raw.headersSent) {
        if (endpoint.answerForm === 'events') record(context, raw, reply.statusCode); // at its start: it may last for days
        if (endpoint.answerForm === 'bytes') dropBody(result as PlainAnswer);
        return;
      }
      if (endpoint.answerForm === 'envelope') return sendEnvelope(reply, toEnvelope(result));
      return sendPlain(context, raw, reply, result as PlainAnswer);
    },
  );
}

function observe(context: HttpContext, request: FastifyRequest, reply: FastifyReply): void {
  context.deadlines.forget(request.state);
  context.pace.forget(request.raw);
  disconnectLate(request.raw, context.deadlines.limitMs);
  const failed = request.state.brokenOffWith;
  if (failed !== undefined) record(context, request, failed.status);
  else if (reply.raw.writableFinished) record(context, request, reply.statusCode);
  else logRequest(context.requestLog, request, clientGone);
}

function record({ requestLog, observe: see }: HttpContext, request: FastifyRequest, status: number): void {
  const { state, method } = request;
  const seconds = (performance.now() - state.startedAt) / 1000;
  see({ method, path: state.route, status, seconds });
  state.span?.end({ route: state.route, status });
  logRequest(requestLog, request, status);
}
