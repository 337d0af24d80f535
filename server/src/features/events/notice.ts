// Notices: audience, type and payload of an event.
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { EventPayload, EventType } from '@recordproof/shared/api/events.ts';
import type { Key } from '../../platform/db/tables.ts';

/** The audience, within one tenant. */
export type Audience =
  | {
      readonly kind: 'users';
      readonly userIds: readonly Key[];
      /** Not delivered to a user who has lost this role. */
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
