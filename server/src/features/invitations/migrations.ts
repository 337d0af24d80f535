// Table types and migrations of invitations.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    invitation: {
      id: NewKey;
      tenant_id: Key;
      /** The public part of the code, for the look-up. */
      selector: string;
      /** Keyed digest of the secret part of the code; null until the mail is being sent. */
      secret_digest: string | null;
      /** Null if the link was returned to the administrator. */
      email: string | null;
      role: string;
      created_by: Key;
      created_at: Time;
      expires_at: Time;
      revoked_at: Time | null;
      accepted_at: Time | null;
      /** The account it opened. */
      accepted_by: Key | null;
    };
  }
}

export const invitationMigrations: readonly Migration[] = [
  {
    name: 'V2.0.35 tables of invitations',
    statements: t => [
      `create table invitation (
        id ${t.key},
        tenant_id ${t.integer} not null,
        selector text not null unique,
        secret_digest text,
        email text,
        role text not null check (role in ('user', 'admin', 'monitor')),
        created_by ${t.integer} not null,
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null,
        revoked_at ${t.integer},
        accepted_at ${t.integer},
        accepted_by ${t.integer}
      ) ${t.strict}`,
      'create index invitation_list on invitation (tenant_id, created_at, id)',
    ],
  },
];
