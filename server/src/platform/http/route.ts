// What a feature hands over for each endpoint: the contract and the verb that answers it.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { AnswerOf, AnyEndpoint, BodyOf, ParamsOf, QueryOf } from '@recordproof/shared/api/endpoint.ts';
import type { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Actor, Caller } from './caller.ts';

/** Everything a verb may know of its request. Parsed input only; the raw stream where the endpoint says so. */
export type Request<E extends AnyEndpoint = AnyEndpoint> = {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly caller: Caller;
  /** The account that calls. Only for endpoints that ask for one: elsewhere this throws. */
  readonly actor: Actor;
  /** Address of the client, through trusted proxies only. */
  readonly ip: string;
  readonly method: string;
  /** Path and query as sent, secrets in the query masked. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly traceId: string;
  /** When the request came in, on the platform clock. */
  readonly startedAt: number;
  readonly log: Log;
  /** Aborted when the client goes away, the time is up, or the server stops. */
  readonly signal: AbortSignal;
  /** The unread body, for endpoints whose body form is `bytes` or `multipart`. May be left early: the answer still arrives. */
  readonly stream: AsyncIterable<Buffer>;
  /** Logs what failed of an answer with several results, if the cause is this server. */
  noteFailure(error: ApiError): void;
  setHeader(name: string, value: string): void;
  /**
   * Answers 200 with these headers and hands out the connection, whose remaining bytes are the body; it ends when the
   * connection does. The platform then leaves it alone. Nothing leaves before the first `uncork`.
   */
  openStream(headers: Readonly<Record<string, string>>): Socket;
};

/** An answer without the envelope. */
export type PlainAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body: string | Uint8Array | Readable | null;
  /** Nobody else holds the blocks of the body: each is freed once the system has taken it. */
  readonly ownsBlocks?: boolean;
};

export type Route<E extends AnyEndpoint = AnyEndpoint> = {
  readonly endpoint: E;
  readonly handle: (request: Request<E>) => Promise<unknown> | unknown;
};

/** Binds a verb to an endpoint whose answer travels in the envelope. */
export const route = <E extends AnyEndpoint>(
  endpoint: E,
  handle: (request: Request<E>) => Promise<AnswerOf<E>> | AnswerOf<E>,
): Route => ({ endpoint, handle: handle as Route['handle'] });

/** Binds a verb to an endpoint that answers with a body of its own; undefined after `openStream()`. */
export const plainRoute = <E extends AnyEndpoint>(
  endpoint: E,
  handle: (request: Request<E>) => Promise<PlainAnswer | undefined> | PlainAnswer | undefined,
): Route => ({ endpoint, handle: handle as Route['handle'] });
