// Endpoint definitions: shared by the server's routes, the typed client and the OpenAPI document.
import type { z } from 'zod';
import type { ErrorKind } from './errors.ts';

export const permissions = [
  'file:read', 'file:write', 'file:delete', 'file:share', 'file:admin',
  'ticket:read', 'ticket:write', 'ticket:admin',
  'friend:read', 'friend:write', 'friend:share',
  'message:read', 'message:write',
  'announcement:read', 'announcement:admin',
  'system:logs', 'system:audit', 'system:metrics', 'system:admin',
  'installation:admin',
] as const; // biome-ignore format: one line per subject

export type Permission = (typeof permissions)[number];

const ofInstallation: Permission = 'installation:admin';

/** The scopes that an API token may have: none carries the administration of the installation. */
export const tokenPermissions: readonly Permission[] = permissions.filter(permission => permission !== ofInstallation);

/**
 * Who may call. `anonymous`: everyone, a token is ignored; `optional`: everyone, with the account if signed in;
 * `signed-in`: any active account; a permission: accounts that have it; `management`: accounts with system:metrics, or
 * the management token.
 */
export type Access = 'anonymous' | 'optional' | 'signed-in' | 'management' | Permission;

/** The scope that an API token needs: a permission, `any` scope, or `none` if API tokens may not call. */
type TokenScope = Permission | 'any' | 'none';

/** A field of the input, as `params.hash`. */
export type InputField = `${'params' | 'query' | 'body'}.${string}`;

/** The fields that name files and folders, by which a folder-limited caller is restricted. */
export type FolderScope = {
  /** A folder. Default: the caller's folder. */
  readonly folder?: InputField;
  /** Further folders. If one is given, `folder` has no default. */
  readonly otherFolders?: readonly InputField[];
  /** Ids or hashes of files: one, or a list. */
  readonly files?: readonly InputField[];
  /** The client id of an upload. */
  readonly upload?: InputField;
  /** They are in a streamed body: the operation passes them to `request.narrow` once it has read them. */
  readonly inBody?: true;
};

const rateClasses = [
  'auth', 'upload', 'download', 'chunk', 'share', 'public-proof', 'ledger', 'probe', 'other',
] as const; // biome-ignore format: one line

/**
 * The per-minute rate limit of a call: `upload` for starting an upload, `chunk` for continuing one, `share` for
 * visitors of share links, `ledger` (a high limit) for clients that follow the log tile by tile, `probe` for health
 * checks and scrapers.
 */
export type RateClass = (typeof rateClasses)[number];

/** `own`: the operation counts its calls itself, by their subject; those that do not reach it count as `other`. */
type Rate = RateClass | 'own';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The encoding of the request body. `bytes` and `multipart` are streams that the operation reads itself. */
export type BodyForm = 'json' | 'form' | 'multipart' | 'bytes';

/** The form of the response: the envelope around `answer`, or a body of its own (download, metrics text, page). */
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
  readonly path: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Default: the permission named by `access`, if a token may have it; other endpoints accept no API tokens. */
  readonly tokenScope?: TokenScope;
  /** Absent: folder-limited callers may not call. Empty: it names and shows no file. */
  readonly folderScope?: FolderScope;
  /** Besides the header, accepts a single-use token in the query (`token`): for clients that cannot set headers. */
  readonly takesStreamToken: boolean;
  readonly rate: Rate;
  /** For callers without an account, if different. */
  readonly strangerRate?: RateClass;
  /** For calls rejected before the operation could count them itself. */
  readonly rejectedRate?: RateClass;
  /** The response comes when the work is done, without a time limit; the work is aborted if the caller disconnects. */
  readonly takesLong?: true;
  /** Sessions need a factor given within ten minutes; otherwise STEP_UP_REQUIRED. */
  readonly stepUp?: true;
  /** A script, style sheet or worker of our pages. Other endpoints reject such requests of browsers. */
  readonly isPageAsset?: true;
  /** Changes no stored data, although its method could: signing in, reading with a body. */
  readonly isAllowedInMaintenance?: true;
  readonly params: P | undefined;
  readonly query: Q | undefined;
  /** Further request headers besides those of HTTP and the token: name and description. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: B | undefined;
  readonly bodyForms: readonly BodyForm[];
  /** For parsed bodies that may be larger than usual. */
  readonly maxBodyBytes?: number;
  readonly answer: A | undefined;
  readonly answerForm: AnswerForm;
  readonly errors: readonly ErrorKind[];
};

type Definition<P extends Schema, Q extends Schema, B extends Schema, A extends Schema> = {
  /** As in the specification: the path has `{name}` for parameters. */
  readonly route: `${Method} ${string}`;
} & Pick<Endpoint<P, Q, B, A>, 'feature' | 'summary' | 'access' | 'rate'> &
  Partial<Omit<Endpoint<P, Q, B, A>, 'name' | 'method' | 'path'>>;

export function endpoint<
  P extends Schema = z.ZodUndefined,
  Q extends Schema = z.ZodUndefined,
  B extends Schema = z.ZodUndefined,
  A extends Schema = z.ZodNull,
>(name: string, { route, ...definition }: Definition<P, Q, B, A>): Endpoint<P, Q, B, A> {
  const [method, path] = route.split(' ') as [Method, string];
  return {
    name,
    method,
    path,
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

const isPermission = (access: Access): access is Permission => (permissions as readonly string[]).includes(access);

export function tokenScopeOf({ tokenScope, access }: Pick<AnyEndpoint, 'tokenScope' | 'access'>): TokenScope {
  if (tokenScope !== undefined) return tokenScope;
  if (access === 'management') return 'system:metrics';
  return isPermission(access) && access !== ofInstallation ? access : 'none';
}

export type ParamsOf<E> = E extends Endpoint<infer P, Schema, Schema, Schema> ? z.output<P> : never;
export type QueryOf<E> = E extends Endpoint<Schema, infer Q, Schema, Schema> ? z.output<Q> : never;
export type BodyOf<E> = E extends Endpoint<Schema, Schema, infer B, Schema> ? z.output<B> : never;
export type ParamsInput<E> = E extends Endpoint<infer P, Schema, Schema, Schema> ? z.input<P> : never;
export type QueryInput<E> = E extends Endpoint<Schema, infer Q, Schema, Schema> ? z.input<Q> : never;
export type BodyInput<E> = E extends Endpoint<Schema, Schema, infer B, Schema> ? z.input<B> : never;
/** The type returned by the operation and the client. */
export type AnswerOf<E> = E extends Endpoint<Schema, Schema, Schema, infer A> ? z.output<A> : never;
