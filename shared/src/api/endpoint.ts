// One definition per endpoint: the server's route, the typed client and the OpenAPI page all read it.
import type { z } from 'zod';
import type { ErrorKind } from './errors.ts';

export const permissions = [
  'file:read', 'file:write', 'file:delete', 'file:share', 'file:admin',
  'ticket:read', 'ticket:write', 'ticket:admin',
  'friend:read', 'friend:write', 'friend:share',
  'message:read', 'message:write',
  'announcement:read', 'announcement:admin',
  'system:logs', 'system:audit', 'system:metrics', 'system:admin',
] as const; // biome-ignore format: one line per subject

export type Permission = (typeof permissions)[number];

/**
 * Who may call: `anonymous` anybody (a token is not even looked at), `optional` anybody (but the verb wants to know who
 * it is), `signed-in` any live account, a permission whoever holds it, `management` who holds system:metrics or the
 * management token.
 */
export type Access = 'anonymous' | 'optional' | 'signed-in' | 'management' | Permission;

const rateClasses = [
  'auth', 'upload', 'download', 'chunk', 'share', 'public-proof', 'ledger', 'probe', 'other',
] as const; // biome-ignore format: one line

/**
 * Which per-minute allowance a call uses up: `upload` what begins an upload, `chunk` what goes on with one, `share` those
 * who come with a link, `ledger` is the wide one of those who follow the log tile by tile, `probe` that of health checks and
 * scrapers.
 */
export type RateClass = (typeof rateClasses)[number];

/** `own`: the verb counts its calls itself, by what they are about; those that do not reach it count as `other`. */
type Rate = RateClass | 'own';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** How the request body travels. `bytes` and `multipart` arrive as a stream that the verb reads itself. */
export type BodyForm = 'json' | 'form' | 'multipart' | 'bytes';

/** What comes back: the envelope around `answer`, or a body of its own (download, metrics text, page). */
type AnswerForm = 'envelope' | 'plain-json' | 'text' | 'bytes' | 'events';

type Schema = z.ZodType;

type Endpoint<
  P extends Schema = Schema,
  Q extends Schema = Schema,
  B extends Schema = Schema,
  A extends Schema = Schema,
> = {
  readonly name: string;
  readonly feature: string;
  readonly method: Method;
  /** With `{name}` for parameters, as the specification writes it. */
  readonly path: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Besides the header, a single-use token in the query (`token`) says who calls: for clients that set no headers. */
  readonly takesStreamToken: boolean;
  readonly rate: Rate;
  /** Of callers without an account, where it is another. */
  readonly strangerRate?: RateClass;
  /** Of calls that are rejected before the verb could count them itself. */
  readonly rejectedRate?: RateClass;
  /** The answer comes when the work is done, however long that is; the work ends when the caller goes away. */
  readonly takesLong?: true;
  /** A script, style sheet or worker of our pages. Whatever else a browser wants as one is refused. */
  readonly isPageAsset?: true;
  readonly params: P | undefined;
  readonly query: Q | undefined;
  /** Headers that the call may carry besides those of HTTP and the token: what each is for, by its name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: B | undefined;
  readonly bodyForms: readonly BodyForm[];
  /** For bodies that are parsed whole and may be larger than usual. */
  readonly maxBodyBytes?: number;
  readonly answer: A | undefined;
  readonly answerForm: AnswerForm;
  readonly errors: readonly ErrorKind[];
};

type Definition<P extends Schema, Q extends Schema, B extends Schema, A extends Schema> = {
  readonly feature: string;
  readonly method: Method;
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly takesStreamToken?: boolean;
  readonly rate: Rate;
  /** Of callers without an account, where it is another. */
  readonly strangerRate?: RateClass;
  /** Of calls that are rejected before the verb could count them itself. */
  readonly rejectedRate?: RateClass;
  readonly takesLong?: true;
  readonly isPageAsset?: true;
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: B;
  readonly bodyForms?: readonly BodyForm[];
  readonly maxBodyBytes?: number;
  readonly answer?: A;
  readonly answerForm?: AnswerForm;
  readonly errors?: readonly ErrorKind[];
};

export function endpoint<
  P extends Schema = z.ZodUndefined,
  Q extends Schema = z.ZodUndefined,
  B extends Schema = z.ZodUndefined,
  A extends Schema = z.ZodNull,
>(name: string, definition: Definition<P, Q, B, A>): Endpoint<P, Q, B, A> {
  return {
    name,
    ...definition,
    aliases: definition.aliases ?? [],
    takesStreamToken: definition.takesStreamToken ?? false,
    params: definition.params,
    query: definition.query,
    body: definition.body,
    bodyForms: definition.bodyForms ?? (definition.body ? ['json'] : []),
    answer: definition.answer,
    answerForm: definition.answerForm ?? 'envelope',
    errors: definition.errors ?? [],
  };
}

export type AnyEndpoint = Endpoint;
export type ParamsOf<E> = E extends Endpoint<infer P, Schema, Schema, Schema> ? z.output<P> : never;
export type QueryOf<E> = E extends Endpoint<Schema, infer Q, Schema, Schema> ? z.output<Q> : never;
export type BodyOf<E> = E extends Endpoint<Schema, Schema, infer B, Schema> ? z.output<B> : never;
export type ParamsInput<E> = E extends Endpoint<infer P, Schema, Schema, Schema> ? z.input<P> : never;
export type QueryInput<E> = E extends Endpoint<Schema, infer Q, Schema, Schema> ? z.input<Q> : never;
export type BodyInput<E> = E extends Endpoint<Schema, Schema, infer B, Schema> ? z.input<B> : never;
/** What a verb returns and a client receives. */
export type AnswerOf<E> = E extends Endpoint<Schema, Schema, Schema, infer A> ? z.output<A> : never;
