// One request on its way through the server: what the door found out about it, and what its verb may know of it.
// Getters compute what most verbs never ask for.
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { AnyEndpoint, BodyForm } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import { parseTrace, startTrace, type TraceContext } from '../telemetry/trace-context.ts';
import type { RequestSpan, Tracing } from '../telemetry/tracing.ts';
import { type Actor, anonymous, type Caller } from './caller.ts';
import type { TimedRequest } from './deadlines.ts';
import type { FailureLog } from './failure-log.ts';
import { parseBody, parseInput } from './parse.ts';
import type { Proxies } from './proxies.ts';
import { openBody } from './request-body.ts';
import type { Request } from './route.ts';

type Told = {
  readonly tracing?: Pick<Tracing, 'startRequest'> | undefined;
  readonly proxies: Pick<Proxies, 'clientAddress'>;
};

/** What the hooks find out about a request, kept beside it. */
export class RunningRequest implements TimedRequest {
  readonly trace: TraceContext;
  readonly span: RequestSpan | undefined;
  readonly startedAt = performance.now();
  /** What its connection had carried out before: answers are counted from here. */
  readonly writtenBefore: number;
  /** Its pattern, once one was found. */
  route = '(none)';
  /** What its route promises, once one was found. */
  endpoint: AnyEndpoint | undefined;
  caller: Caller = anonymous;
  isLogged = false;
  hasReachedVerb = false;
  /** Why its answer was broken off after the first byte. */
  brokenOffWith: ApiError | undefined;
  /** Address of the client, through trusted proxies only. */
  readonly ip: string;
  readonly #raw: IncomingMessage;
  readonly #reply: FastifyReply;
  readonly #refuse: (error: ApiError) => void;
  #ending: AbortController | undefined;

  /** `refuse` answers a request whose time is up. */
  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    { tracing, proxies }: Told,
    refuse: (error: ApiError) => void,
  ) {
    const { method, headers } = request;
    this.writtenBefore = request.raw.socket.bytesWritten;
    this.ip = proxies.clientAddress(request.raw.socket.remoteAddress ?? '', headers);
    const caller = parseTrace(headers.traceparent, headers.tracestate);
    this.span = tracing?.startRequest(method, caller);
    this.trace = this.span?.trace ?? caller ?? startTrace();
    this.#raw = request.raw;
    this.#reply = reply;
    this.#refuse = refuse;
  }

  /** Aborted when the client goes away or the time is up. */
  get signal(): AbortSignal {
    this.#ending ??= this.#openEnding();
    return this.#ending.signal;
  }

  /** The answer tells when a client has gone: the request itself ends as soon as its body is read. */
  #openEnding(): AbortController {
    const ending = new AbortController();
    if (this.#reply.raw.destroyed) ending.abort();
    else this.#reply.raw.once('close', () => ending.abort());
    return ending;
  }

  /** Either the client has not sent all of it, or we have not done it. */
  timeUp(): void {
    const error = this.#raw.complete
      ? new ApiError('SERVICE_TIMEOUT', 'the request took too long')
      : new ApiError('REQUEST_TIMEOUT');
    this.#ending?.abort(error);
    this.#refuse(error);
  }
}

export const isStreamed = (forms: readonly BodyForm[]): boolean =>
  forms.includes('bytes') || forms.includes('multipart');

/** Fastify calls a wildcard `*`; the contracts call it `path`. */
const toParams = (params: unknown): unknown => {
  const { '*': path, ...named } = params as Record<string, string>;
  return path === undefined ? named : { ...named, path };
};

/** Query values may be one-time tokens or signatures: logs and audit rows get the names only. */
const maskQuery = (url: string): string => url.replace(/([?&][^=&]*=)[^&]*/g, '$1…');

type Tools = { readonly clock: Clock; readonly log: Log; readonly failures: Pick<FailureLog, 'add'> };

export class ParsedRequest implements Request {
  readonly params: Request['params'];
  readonly query: Request['query'];
  readonly body: Request['body'];
  readonly caller: Caller;
  readonly startedAt: number;
  readonly log: Log;
  readonly #failures: Tools['failures'];
  readonly #endpoint: AnyEndpoint;
  readonly #raw: FastifyRequest;
  readonly #reply: FastifyReply;
  #stream: Request['stream'] | undefined;

  /** Throws the refusal when the input breaks its contract. */
  constructor({ clock, log, failures }: Tools, endpoint: AnyEndpoint, raw: FastifyRequest, reply: FastifyReply) {
    this.params = endpoint.params && parseInput(endpoint.params, toParams(raw.params), 'path');
    this.query = endpoint.query && parseInput(endpoint.query, raw.query, 'query');
    this.body = endpoint.body && !isStreamed(endpoint.bodyForms) ? parseBody(endpoint.body, raw.body) : undefined;
    this.caller = raw.state.caller;
    this.startedAt = clock.now();
    this.log = log;
    this.#failures = failures;
    this.#endpoint = endpoint;
    this.#raw = raw;
    this.#reply = reply;
  }

  get actor(): Actor {
    if (this.caller.kind === 'user') return this.caller.actor;
    throw new Error(`${this.#endpoint.name} asks for an account, but its access class lets others in`);
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
      throw new ApiError('BAD_REQUEST', 'a stream needs a connection without an earlier request that still runs');
    this.#reply.hijack();
    socket.cork();
    // Bytes written to the socket must mean the same to every client, also to those that know no chunked bodies.
    raw.removeHeader('transfer-encoding');
    const all = { ...this.#reply.getHeaders(), ...headers, connection: 'close' };
    raw.writeHead(200, all as OutgoingHttpHeaders).flushHeaders();
    return socket;
  }
}
