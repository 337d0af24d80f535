// Who is calling, as far as the platform cares. Accounts themselves belong to the features.
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Key, Time } from '../db/tables.ts';

/** A live account behind a valid token. */
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
  readonly permissions: ReadonlySet<Permission>;
  /** Of the account when the token was made: a token of another version is dead. */
  readonly authVersion: number;
  /** The token's own id and end, so that it can be revoked. */
  readonly tokenId: string;
  readonly tokenExpiresAt: Time;
};

export type Caller =
  | { readonly kind: 'anonymous' }
  /** Bearer of the management token: sees health details and metrics, nothing else. */
  | { readonly kind: 'operator' }
  | { readonly kind: 'user'; readonly actor: Actor };

export const anonymous: Caller = { kind: 'anonymous' };

/** Turns a bearer token into a caller. Throws ApiError (401) when the token is no longer, or never was, good. */
export type Authenticate = (token: string) => Awaitable<Caller>;

export const isOperator = (caller: Caller): boolean =>
  caller.kind === 'operator' || (caller.kind === 'user' && caller.actor.permissions.has('system:metrics'));
