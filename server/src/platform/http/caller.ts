// The caller of a request, as the platform sees it. Accounts belong to the features.
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import type { RawBuilder } from 'kysely';
import type { Awaitable } from '../awaitable.ts';
import type { Engine } from '../db/open-db.ts';
import type { Key, Time } from '../db/tables.ts';

/** The API token of a call. The actor's permissions are already limited to it. */
type ActingToken = {
  readonly id: Key;
  readonly name: string;
  /** Limits the call to this folder and its subfolders; null: no limit. */
  readonly folder: string | null;
};

/** An active account with a valid token. */
export type Actor = {
  readonly tenantId: Key;
  readonly userId: Key;
  readonly externalId: string;
  readonly username: string;
  readonly email: string;
  readonly nickname: string | null;
  readonly avatar: string | null;
  readonly role: Role;
  readonly registeredAt: Time;
  /** Permissions of the role; for an API token only those in its scopes. */
  readonly permissions: ReadonlySet<Permission>;
  /** The account's version when the token was issued: tokens of other versions are invalid. */
  readonly authVersion: number;
  /** Id and expiry of the token, for its revocation. */
  readonly tokenId: string;
  readonly tokenExpiresAt: Time;
  /** When the user of the session last presented a factor, according to the token; null without a session. */
  readonly authenticatedAt: Time | null;
  /** Absent for sessions. */
  readonly apiToken?: ActingToken;
  /** Set for an anonymous sender who uses a drop link of this account. */
  readonly dropLinkId?: Key;
};

/** An account as the owner of files. */
export type Owner = { readonly tenantId: Key; readonly ownerId: Key };

export const ownerOf = ({ tenantId, userId }: Pick<Actor, 'tenantId' | 'userId'>): Owner => ({
  tenantId,
  ownerId: userId,
});

export type Caller =
  | { readonly kind: 'anonymous' }
  /** Bearer of the management token: may see health details and metrics only. */
  | { readonly kind: 'operator' }
  | User;

type User = {
  readonly kind: 'user';
  readonly actor: Actor;
  /** As of the look-up of the session: null outside maintenance, undefined where it was not read. */
  readonly maintenance?: Maintenance | null;
  /** JSON of a row that was read with the session. */
  readonly beside?: string | null | undefined;
};

/** Maintenance mode: the message for users. */
export type Maintenance = { readonly message: string };

/** A row to read in the statement that looks up a session. */
export type Beside = {
  /** As JSON text: a scalar subquery in a query on the table `account`, in the tenant of that account. */
  readonly toJson: (engine: Engine, value: string) => RawBuilder<string | null>;
  readonly value: string;
};

/**
 * A row that is prefetched in the statement that looks up the session, which saves a statement in calls that need one
 * row by its path. It is as of that statement, and implies no permission.
 */
export type BesideSession<Row = unknown> = Pick<Beside, 'toJson'> & {
  /** From the path, which is still unchecked; undefined where it names nothing. */
  readonly toValue: (params: unknown) => string | undefined;
  /** Undefined where it was not read: of callers without a session. */
  readonly rowOf: (caller: Caller) => Row | null | undefined;
};

export const anonymous: Caller = { kind: 'anonymous' };

/** Authenticates a bearer token sent from this address. Throws ApiError (401) if the token is invalid. */
export type Authenticate = (token: string, ip: string, beside?: Beside) => Awaitable<Caller>;

export const isOperator = (caller: Caller): boolean =>
  caller.kind === 'operator' || (caller.kind === 'user' && caller.actor.permissions.has('system:metrics'));

export function toBeside(beside: BesideSession | undefined, params: unknown): Beside | undefined {
  const value = beside?.toValue(params);
  return beside === undefined || value === undefined ? undefined : { toJson: beside.toJson, value };
}

/** `rowOf` of a row that is read as JSON text. */
export function readBeside<Row>(caller: Caller): Row | null | undefined {
  if (caller.kind !== 'user' || caller.beside === undefined) return undefined;
  return caller.beside === null ? null : (JSON.parse(caller.beside) as Row);
}
