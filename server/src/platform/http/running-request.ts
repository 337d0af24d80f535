// State of a request in progress, and the parsed request for its handler. Getters compute what most handlers never use.
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { AnyEndpoint, BodyForm } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { findLanguage, type Language } from '@recordproof/shared/words/words.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Awaitable, andThen } from '../awaitable.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import { parseTrace, startTrace, type TraceContext } from '../telemetry/trace-context.ts';
import type { RequestSpan, Tracing } from '../telemetry/tracing.ts';
import { type Actor, anonymous, type Caller } from './caller.ts';
import type { TimedRequest } from './deadlines.ts';
import { type FindFolders, type Named, narrow, toNamed, withFolder } from './narrow.ts';
import { parseBody, parseInput } from './parse.ts';
import type { Proxies } from './proxies.ts';
import { openBody } from './request-body.ts';
import type { FailureLog } from './request-log.ts';
import type { Request } from './route.ts';

type Reported = {
  readonly tracing?: Pick<Tracing, 'startRequest'> | undefined;
  readonly proxies: Pick<Proxies, 'clientAddress'>;
};

/** Request state collected by the hooks. */
export class RunningRequest implements TimedRequest {
  readonly trace: TraceContext;
  readonly span: RequestSpan | undefined;
  readonly startedAt = performance.now();
  /** Bytes the connection had sent before this response. */
  readonly writtenBefore: number;
  /** Route pattern, once matched. */
  route = '(none)';
  /** The route's contract, once matched. */
  endpoint: AnyEndpoint | undefined;
  caller: Caller = anonymous;
  isLogged = false;
  hasReachedVerb = false;
  /** Why the response was aborted after its first byte. */
  brokenOffWith: ApiError | undefined;
  /** Client address, resolved through trusted proxies only. */
  readonly ip: string;
  readonly #raw: IncomingMessage;
  readonly #reply: FastifyReply;
  readonly #reject: (error: ApiError) => void;
  #ending: AbortController | undefined;

  /** `refuse` responds to a request whose deadline has passed. */
  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    { tracing, proxies }: Reported,
    reject: (error: ApiError) => void,
  ) {
    const { method, headers } = request;
    this.writtenBefore = request.raw.socket.bytesWritten;
    this.ip = proxies.clientAddress(request.raw.socket.remoteAddress ?? '', headers);
    const caller = parseTrace(headers.traceparent, headers.tracestate);
    this.span = tracing?.startRequest(method, caller);
    this.trace = this.span?.trace ?? caller ?? startTrace();
    this.#raw = request.raw;
    this.#reply = reply;
    this.#reject = reject;
  }

  /** Aborted when the client disconnects or the deadline passes. */
  get signal(): AbortSignal {
    this.#ending ??= this.#openEnding();
    return this.#ending.signal;
  }

  /** A disconnect shows on the response: the request itself ends once its body is read. */
  #openEnding(): AbortController {
    const ending = new AbortController();
    if (this.#reply.raw.destroyed) ending.abort();
    else this.#reply.raw.once('close', () => ending.abort());
    return ending;
  }

  /** The client has not sent everything, or the server has not finished. */
  timeUp(): void {
    const error = this.#raw.complete
      ? new ApiError('SERVICE_TIMEOUT', 'the request took too long')
      : new ApiError('REQUEST_TIMEOUT');
    this.#ending?.abort(error);
    this.#reject(error);
  }
}

export const isStreamed = (forms: readonly BodyForm[]): boolean =>
  forms.includes('bytes') || forms.includes('multipart');

/** Fastify names a wildcard `*`; the contracts name it `path`. */
const toParams = (params: unknown): unknown => {
  const { '*': path, ...named } = params as Record<string, string>;
  return path === undefined ? named : { ...named, path };
};

/** Query values may be one-time tokens or signatures: logs and audit rows get only the names. */
const maskQuery = (url: string): string => url.replace(/([?&][^=&]*=)[^&]*/g, '$1…');

type Tools = {
  readonly clock: Clock;
  readonly log: Log;
  readonly failures: Pick<FailureLog, 'add'>;
  readonly findFolders: FindFolders;
};

export class ParsedRequest implements Request {
  params: Request['params'];
  query: Request['query'];
  body: Request['body'];
  readonly caller: Caller;
  readonly startedAt: number;
  readonly log: Log;
  readonly #failures: Tools['failures'];
  readonly #endpoint: AnyEndpoint;
  readonly #raw: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #findFolders: FindFolders;
  #stream: Request['stream'] | undefined;
  #isNarrowed = false;

  /** Throws if the input violates the contract. */
  constructor(
    { clock, log, failures, findFolders }: Tools,
    endpoint: AnyEndpoint,
    raw: FastifyRequest,
    reply: FastifyReply,
  ) {
    this.params = endpoint.params && parseInput(endpoint.params, toParams(raw.params), 'path');
    this.query = endpoint.query && parseInput(endpoint.query, raw.query, 'query');
    this.body = endpoint.body && !isStreamed(endpoint.bodyForms) ? parseBody(endpoint.body, raw.body) : undefined;
    this.caller = raw.state.caller;
    this.startedAt = clock.now();
    this.log = log;
    this.#failures = failures;
    this.#findFolders = findFolders;
    this.#endpoint = endpoint;
    this.#raw = raw;
    this.#reply = reply;
  }

  get actor(): Actor {
    if (this.caller.kind === 'user') return this.caller.actor;
    throw new Error(`${this.#endpoint.name} asks for an account, but its access class lets others in`);
  }

  /** Resolves once everything that the fields name is known to be in the caller's folder. */
  narrowed(): Awaitable<this> {
    const { folderScope } = this.#endpoint;
    if (this.caller.kind !== 'user' || this.caller.actor.apiToken?.folder == null || !folderScope) return this;
    const { params, query, body } = this;
    const input = { params, query, body };
    return andThen(narrow(this.#findFolders, this.caller, toNamed(folderScope, input)), folder =>
      Object.assign(this, withFolder(this.#endpoint, input, folder)),
    );
  }

  narrow(named: Named): Awaitable<string | undefined> {
    this.#isNarrowed = true;
    return narrow(this.#findFolders, this.caller, named);
  }

  /** Detects a handler that did not check what its body names, which would break the caller's folder limit. */
  assertNarrowed(): void {
    if (this.#endpoint.folderScope?.inBody && !this.#isNarrowed)
      throw new Error(`${this.#endpoint.name} has not passed the folders of its body to narrow()`);
  }

  get ip(): string {
    return this.#raw.state.ip;
  }

  get method(): string {
    return this.#raw.method;
  }

  get url(): string {
    return maskQuery(this.#raw.url);
  }

  get language(): Language | undefined {
    return findLanguage(this.#raw.headers['accept-language']);
  }

  get headers(): IncomingHttpHeaders {
    return this.#raw.headers;
  }

  get traceId(): string {
    return this.#raw.state.trace.traceId;
  }

  get signal(): AbortSignal {
    return this.#raw.state.signal;
  }

  get stream(): Request['stream'] {
    this.#stream ??= openBody(this.#raw.raw);
    return this.#stream;
  }

  noteFailure(error: ApiError): void {
    this.#failures.add(this.#raw, error);
  }

  setHeader(name: string, value: string): void {
    this.#reply.header(name, value);
  }

  openStream(headers: Readonly<Record<string, string>>): Socket {
    const { raw } = this.#reply;
    const { socket } = raw;
    if (socket === null)
      throw new ApiError('BAD_REQUEST', 'an earlier request on this connection is unfinished; open another connection');
    this.#reply.hijack();
    socket.cork();
    // Raw bytes on the socket must be valid for clients without chunked encoding.
    raw.removeHeader('transfer-encoding');
    const all = { ...this.#reply.getHeaders(), ...headers, connection: 'close' };
    raw.writeHead(200, all as OutgoingHttpHeaders).flushHeaders();
    return socket;
  }
}
