// The typed client: one call per endpoint definition, over any fetch. Refuses to follow redirects, checks that the
// answer is what the contract says, and turns error envelopes into ApiError.

import type { AnswerOf, AnyEndpoint, BodyInput, ParamsInput, QueryInput } from './endpoint.ts';
import { ApiError, errorTable, findErrorKind } from './errors.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type ClientOptions = {
  readonly baseUrl: string;
  readonly fetch?: Fetch;
  /** Asked before every call, so that a refreshed token is used at once. */
  readonly token?: () => string | undefined;
  readonly timeoutMs?: number;
  readonly userAgent?: string;
};

type Part<Key extends string, Value> = [Value] extends [undefined] ? { [K in Key]?: never } : { [K in Key]: Value };
type OptionalPart<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: never }
  : Record<never, never> extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value };

export type CallInput<E extends AnyEndpoint> = Part<'params', ParamsInput<E>> &
  OptionalPart<'query', QueryInput<E>> &
  Part<'body', BodyInput<E>> & { signal?: AbortSignal };

/** The server could not be reached, or what answered does not speak this contract. */
export class TransportError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TransportError';
  }
}

export type Client = {
  /** The `data` of the envelope, parsed by the endpoint's schema. */
  call<E extends AnyEndpoint>(endpoint: E, ...input: Inputs<E>): Promise<AnswerOf<E>>;
  /** The raw answer, for endpoints that do not answer with an envelope. Throws ApiError on error answers too. */
  open<E extends AnyEndpoint>(endpoint: E, ...input: Inputs<E>): Promise<Response>;
};

type Inputs<E extends AnyEndpoint> =
  Record<never, never> extends CallInput<E> ? [input?: CallInput<E>] : [input: CallInput<E>];

type LooseInput = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
};

export function toPath(endpoint: AnyEndpoint, input: LooseInput): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(input.params?.[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

const timeoutSignal = (timeoutMs: number, signal?: AbortSignal): AbortSignal =>
  signal ? AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) : AbortSignal.timeout(timeoutMs);

function toBody(endpoint: AnyEndpoint, body: unknown): { body?: BodyInit; type?: string } {
  if (body === undefined) return {};
  if (endpoint.bodyForms.includes('json')) return { body: JSON.stringify(body), type: 'application/json' };
  return {
    body: new URLSearchParams(body as Record<string, string>).toString(),
    type: 'application/x-www-form-urlencoded',
  };
}

/** Reads an error answer as far as it can be trusted; anything that is no envelope becomes a TransportError. */
async function toError(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '');
  const envelope = parseEnvelope(text);
  if (!envelope)
    return new TransportError(`the server answered ${response.status} with something that is not RecordProof`);
  const kind = findErrorKind(envelope.code) ?? findErrorKind(response.status) ?? 'INTERNAL';
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const detail = (envelope.data as { detail?: Record<string, unknown> } | null)?.detail;
  return new ApiError(kind, envelope.message || errorTable[kind].message, {
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
    ...(detail && { detail }),
  });
}

function parseEnvelope(text: string): { code: number; message: string; data: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const envelope = value as { code?: unknown; message?: unknown; data?: unknown } | null;
    if (typeof envelope?.code !== 'number' || typeof envelope.message !== 'string') return undefined;
    return { code: envelope.code, message: envelope.message, data: envelope.data };
  } catch {
    return undefined;
  }
}

export function openClient(options: ClientOptions): Client {
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const base = options.baseUrl.replace(/\/+$/, '');

  async function open(endpoint: AnyEndpoint, input: LooseInput = {}): Promise<Response> {
    const { body, type } = toBody(endpoint, input.body);
    const token = options.token?.();
    const headers: Record<string, string> = {
      accept: endpoint.answerForm === 'events' ? 'text/event-stream' : 'application/json, */*;q=0.5',
      ...(type && { 'content-type': type }),
      ...(token && endpoint.access !== 'anonymous' && { authorization: `Bearer ${token}` }),
      ...(options.userAgent && { 'user-agent': options.userAgent }),
    };
    const url = base + toPath(endpoint, input);
    const signal = timeoutSignal(options.timeoutMs ?? 30_000, input.signal);
    let response: Response;
    try {
      response = await send(url, {
        method: endpoint.method,
        headers,
        redirect: 'manual',
        signal,
        ...(body !== undefined && { body }),
      });
    } catch (cause) {
      throw new TransportError(`no answer from ${new URL(base).origin}: ${reasonOf(cause)}`, cause);
    }
    if (response.status >= 300 && response.status !== 304) throw await toError(response);
    return response;
  }

  async function call(endpoint: AnyEndpoint, input: LooseInput = {}): Promise<unknown> {
    const response = await open(endpoint, input);
    const text = await response.text();
    const envelope = endpoint.answerForm === 'plain-json' ? { data: safeJson(text) } : parseEnvelope(text);
    if (!envelope) throw new TransportError('the answer is not a RecordProof envelope');
    if (!endpoint.answer) return envelope.data;
    const parsed = endpoint.answer.safeParse(envelope.data);
    if (!parsed.success)
      throw new TransportError(`the answer of ${endpoint.name} does not fit its contract`, parsed.error);
    return parsed.data;
  }

  return { open, call } as Client;
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TransportError('the answer is not JSON', cause);
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause;
  if (inner instanceof Error) return (inner as { code?: string }).code ?? inner.message;
  return cause.name === 'TimeoutError' ? 'it took too long' : cause.message;
}
