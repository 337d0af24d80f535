// The typed client: one call per endpoint definition, over any fetch. Rejects redirects, limits what it reads,
// validates answers against the contract, and turns error envelopes into ApiError.
import { jsonOrNone } from '../json-or-none.ts';
import type { AnswerOf, AnyEndpoint, BodyInput, ParamsInput, QueryInput } from './endpoint.ts';
import { ApiError, errorTable, findErrorKind } from './errors.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type ClientOptions = {
  readonly baseUrl: string;
  readonly fetch?: Fetch;
  /** Called before every call that is not anonymous, so that a renewed token is used at once. */
  readonly token?: () => string | undefined | Promise<string | undefined>;
  /** The time limit of `call` as a whole, and of `open` until the headers. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /** The language of the user: the server sends mails in it. */
  readonly language?: () => string;
};

/** A part without a schema must be absent, one that may be empty is optional, any other is required. */
type Part<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: never }
  : undefined extends Value
    ? { [K in Key]?: Value }
    : Record<never, never> extends Value
      ? { [K in Key]?: Value }
      : { [K in Key]: Value };

export type CallInput<E extends AnyEndpoint> = Part<'params', ParamsInput<E>> &
  Part<'query', QueryInput<E>> &
  Part<'body', BodyInput<E>> & { headers?: Readonly<Record<string, string>>; signal?: AbortSignal };

type Inputs<E extends AnyEndpoint> =
  Record<never, never> extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>];

/** `untrusted`: the certificate is not trusted. `proxy`: a proxy blocks the connection. */
export const transportFailures = [
  'unreachable',
  'timed-out',
  'redirected',
  'not-recordproof',
  'untrusted',
  'proxy',
] as const;
export type TransportFailure = (typeof transportFailures)[number];

/** The server is unreachable, or the response does not follow this contract. */
export class TransportError extends Error {
  readonly failure: TransportFailure;

  constructor(failure: TransportFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TransportError';
    this.failure = failure;
  }
}

export type Client = {
  /** The `data` of the envelope, parsed by the endpoint's schema. */
  call<E extends AnyEndpoint>(endpoint: E, ...input: Inputs<E>): Promise<AnswerOf<E>>;
  /**
   * The raw response once its headers are there, for endpoints that stream. Throws ApiError on error responses too. The
   * caller must read or cancel the body.
   */
  open<E extends AnyEndpoint>(endpoint: E, ...input: Inputs<E>): Promise<Response>;
};

type LooseInput = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
};

const maxErrorBytes = 64 * 1024;
const maxAnswerBytes = 16 * 1024 * 1024;

export function toPath(endpoint: AnyEndpoint, input: LooseInput): string {
  const toSegment = (value: string, name: string): string => {
    // The URL parser would resolve a dot segment, and so reach another endpoint.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${endpoint.name}: path parameter ${name} is missing or empty`);
    return encodeURIComponent(value);
  };
  // A final `**` matches all segments of `path`.
  const path = endpoint.path.replace(/\{(\w+)\}|\*\*$/g, (all, name = 'path') => {
    const value = String(input.params?.[name] ?? '');
    return (all === '**' ? value.split('/') : [value]).map(one => toSegment(one, name)).join('/');
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function toBody(endpoint: AnyEndpoint, body: unknown): { body?: string; type?: string } {
  if (body === undefined) return {};
  if (endpoint.bodyForms.includes('json')) return { body: JSON.stringify(body), type: 'application/json' };
  if (!endpoint.bodyForms.includes('form')) throw new TypeError(`${endpoint.name} takes a stream, not fields`);
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(body as Record<string, unknown>)) {
    if (value !== undefined) fields.append(name, String(value));
  }
  return { body: fields.toString(), type: 'application/x-www-form-urlencoded' };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type LooseEnvelope = { code: number; message: string; data: unknown };

function parseEnvelope(text: string): LooseEnvelope | undefined {
  const value = jsonOrNone(text);
  if (!isRecord(value) || typeof value.code !== 'number' || typeof value.message !== 'string') return undefined;
  return { code: value.code, message: value.message, data: value.data };
}

/** Reads a body as text, up to `maxBytes`. */
async function readText(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new TransportError('not-recordproof', `the answer is longer than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/**
 * A probe also reports its state with 503; an envelope is an error, and a response without JSON is from another server.
 */
async function tellsWithRefusal({ answerForm }: AnyEndpoint, response: Response): Promise<boolean> {
  if (answerForm !== 'plain-json' || response.status !== 503) return false;
  if (response.headers.get('content-type')?.includes('json') !== true) return false;
  return parseEnvelope(await readText(response.clone(), maxAnswerBytes)) === undefined;
}

const isRedirect = (response: Response): boolean =>
  response.type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(response.status);

/** Without our envelope: a proxy found no server, for example during a restart. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Reads an error response, with validation; without an envelope it becomes a TransportError. */
export async function toError(response: Response): Promise<Error> {
  if (isRedirect(response)) {
    const location = response.headers.get('location');
    await response.body?.cancel();
    return new TransportError(
      'redirected',
      `the server redirects${location ? ` to ${location}` : ''}, which is not followed`,
    );
  }
  const envelope = parseEnvelope(await readText(response, maxErrorBytes));
  if (!envelope) {
    if (gatewayStatuses.has(response.status))
      return new TransportError(
        'unreachable',
        `the server is unreachable: a proxy in front of it answered ${response.status}`,
      );
    return new TransportError(
      'not-recordproof',
      `a response with status ${response.status} that is not from RecordProof`,
    );
  }
  const kind = findErrorKind(envelope.code) ?? findErrorKind(response.status) ?? 'INTERNAL';
  const retryAfter = response.headers.get('retry-after') ?? '';
  const limit = response.headers.get('x-ratelimit-limit') ?? '';
  const traceId = response.headers.get('x-trace-id') ?? '';
  const detail = isRecord(envelope.data) ? envelope.data.detail : undefined;
  return new ApiError(kind, envelope.message || errorTable[kind].message, {
    ...(/^[0-9]{1,9}$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) }),
    ...(/^[0-9]{1,9}$/.test(limit) && { rateLimit: Number(limit) }),
    ...(/^[0-9a-f]{32}$/.test(traceId) && { traceId }),
    ...(isRecord(detail) && { detail }),
  });
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause;
  return inner instanceof Error ? ((inner as { code?: string }).code ?? inner.message) : cause.message;
}

export function openClient(options: ClientOptions): Client {
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const base = options.baseUrl.replace(/\/+$/, '');
  const timeoutMs = options.timeoutMs ?? 30_000;

  /** Runs `work` under the time limit and the caller's signal, and reports which of them stopped it. */
  async function exchange<T>(caller: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    try {
      return await work(caller ? AbortSignal.any([caller, limit.signal]) : limit.signal);
    } catch (cause) {
      if (cause instanceof ApiError || cause instanceof TransportError || caller?.aborted) throw cause;
      if (limit.signal.aborted)
        throw new TransportError('timed-out', `no answer from ${base} within ${timeoutMs / 1000} s`, cause);
      throw new TransportError('unreachable', `no answer from ${base}: ${reasonOf(cause)}`, cause);
    } finally {
      clearTimeout(timer);
    }
  }

  async function toRequest(endpoint: AnyEndpoint, input: LooseInput): Promise<{ url: string; init: RequestInit }> {
    const { body, type } = toBody(endpoint, input.body);
    const token = endpoint.access === 'anonymous' ? undefined : await options.token?.();
    const headers: Record<string, string> = {
      ...input.headers,
      accept: endpoint.answerForm === 'events' ? 'text/event-stream' : 'application/json, */*;q=0.5',
      ...(type && { 'content-type': type }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(options.userAgent && { 'user-agent': options.userAgent }),
      ...(options.language && { 'accept-language': options.language() }),
    };
    const init: RequestInit = {
      method: endpoint.method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    };
    return { url: base + toPath(endpoint, input), init };
  }

  async function answerOf(endpoint: AnyEndpoint, url: string, init: RequestInit): Promise<Response> {
    const response = await send(url, init);
    if (response.ok || response.status === 304 || (await tellsWithRefusal(endpoint, response))) return response;
    throw await toError(response);
  }

  async function open(endpoint: AnyEndpoint, input: LooseInput = {}): Promise<Response> {
    const { url, init } = await toRequest(endpoint, input);
    return exchange(input.signal, signal => answerOf(endpoint, url, { ...init, signal }));
  }

  async function call(endpoint: AnyEndpoint, input: LooseInput = {}): Promise<unknown> {
    const { url, init } = await toRequest(endpoint, input);
    const text = await exchange(input.signal, async signal =>
      readText(await answerOf(endpoint, url, { ...init, signal }), maxAnswerBytes),
    );
    const data = endpoint.answerForm === 'plain-json' ? jsonOrNone(text) : parseEnvelope(text)?.data;
    if (data === undefined)
      throw new TransportError('not-recordproof', `${base} did not answer with RecordProof's JSON`);
    if (!endpoint.answer) return data;
    const parsed = endpoint.answer.safeParse(data);
    if (parsed.success) return parsed.data;
    throw new TransportError(
      'not-recordproof',
      `the answer of ${endpoint.name} does not fit its contract`,
      parsed.error,
    );
  }

  return { open, call } as Client;
}
