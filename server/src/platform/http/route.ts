// Routes: a feature binds each contract to its handler.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { AnswerOf, AnyEndpoint, BodyOf, ParamsOf, QueryOf } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Log } from '../telemetry/log.ts';
import type { Actor, BesideSession, Caller } from './caller.ts';
import type { Named } from './narrow.ts';

/** The request as a handler sees it: parsed input, and the raw stream if the endpoint declares one. */
export type Request<E extends AnyEndpoint = AnyEndpoint> = {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly caller: Caller;
  /** The calling account. Throws if the endpoint does not require one. */
  readonly actor: Actor;
  /** Client address, resolved through trusted proxies only. */
  readonly ip: string;
  readonly method: string;
  /** Path and query as sent, with secrets in the query masked. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly traceId: string;
  /** The preferred one of those that are supported. */
  readonly language: Language | undefined;
  /** Time of arrival by the platform clock. */
  readonly startedAt: number;
  readonly log: Log;
  /** Aborted when the client disconnects, the deadline passes, or the server stops. */
  readonly signal: AbortSignal;
  /** The unread body, for endpoints with the body form `bytes` or `multipart`. It need not be read to the end. */
  readonly stream: AsyncIterable<Buffer>;
  /**
   * For endpoints whose streamed body names files and folders: rejects those outside a limited caller's folder, and
   * returns the folder to store in.
   */
  narrow(named: Named): Awaitable<string | undefined>;
  /** Logs an error of one among several results, if the server caused it. */
  noteFailure(error: ApiError): void;
  setHeader(name: string, value: string): void;
  /**
   * Responds with 200 and these headers, and returns the connection: its remaining bytes are the body, which ends with
   * the connection. Nothing is sent before the first `uncork`.
   */
  openStream(headers: Readonly<Record<string, string>>): Socket;
};

/** A response without the envelope. */
export type PlainAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body: string | Uint8Array | Readable | null;
  /** The blocks of the body are owned: each is freed once it is sent. */
  readonly ownsBlocks?: boolean;
};

export type Route<E extends AnyEndpoint = AnyEndpoint> = {
  readonly endpoint: E;
  readonly handle: (request: Request<E>) => Promise<unknown> | unknown;
  readonly beside?: BesideSession;
};

/** A handler need not return the null of an endpoint without a result. */
type Nothing<E> = [AnswerOf<E>] extends [null] ? Promise<void> : never;

/** Binds a handler to an endpoint whose response is in the envelope. */
export const route = <E extends AnyEndpoint>(
  endpoint: E,
  handle: (request: Request<E>) => Promise<AnswerOf<E>> | AnswerOf<E> | Nothing<E>,
): Route => ({ endpoint, handle: handle as Route['handle'] });

/** Binds a handler to an endpoint with a body of its own; it returns undefined after `openStream()`. */
export const plainRoute = <E extends AnyEndpoint>(
  endpoint: E,
  handle: (request: Request<E>) => Promise<PlainAnswer | undefined> | PlainAnswer | undefined,
): Route => ({ endpoint, handle: handle as Route['handle'] });
