// What a notice is: to whom, of what kind, saying what.
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { EventPayload, EventType } from '@recordproof/shared/api/events.ts';
import type { Key } from '../../platform/db/tables.ts';

/** Whom it concerns, always within one tenant. */
export type Audience =
  | {
      readonly kind: 'users';
      readonly userIds: readonly Key[];
      /** Whoever has lost this role is not told. */
      readonly as?: Role;
    }
  | { readonly kind: 'roles'; readonly roles: readonly Role[] }
  | { readonly kind: 'tenant' };

export type Notice<T extends EventType = EventType> = {
  readonly tenantId: Key;
  readonly to: Audience;
  readonly type: T;
  readonly payload: EventPayload<T>;
};
