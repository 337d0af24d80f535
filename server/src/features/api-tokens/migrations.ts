// Table types and migrations of api tokens.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    api_token: {
      id: NewKey;
      tenant_id: Key;
      /** The account on whose behalf it acts. */
      user_id: Key;
      created_by: Key;
      name: string;
      /** SHA-256 of the token: the token is random, so no slow hash is needed. */
      token_digest: string;
      /** The first characters of the token. */
      hint: string;
      /** Separated by spaces, like the addresses. */
      scopes: string;
      folder: string | null;
      addresses: string;
      created_at: Time;
      expires_at: Time;
      revoked_at: Time | null;
      /** When its owner is next warned of its expiry. */
      warn_at: Time | null;
      /** To the minute. */
      last_used_at: Time | null;
      last_used_from: string | null;
      /** The trust rule under which a job got it; null: a person created it. */
      rule_id: Key | null;
    };
  }
}

export const apiTokenMigrations: readonly Migration[] = [
  {
    name: 'V2.0.37 tables of API tokens',
    statements: t => [
      `create table api_token (
        id ${t.key},
        tenant_id ${t.integer} not null,
        user_id ${t.integer} not null references account (id),
        created_by ${t.integer} not null,
        name text not null,
        token_digest text not null unique,
        hint text not null,
        scopes text not null,
        folder text,
        addresses text not null,
        created_at ${t.integer} not null,
        expires_at ${t.integer} not null,
        revoked_at ${t.integer},
        warn_at ${t.integer},
        last_used_at ${t.integer},
        last_used_from text,
        rule_id ${t.integer}
      ) ${t.strict}`,
      'create index api_token_user on api_token (tenant_id, user_id, id)',
      'create index api_token_expires on api_token (expires_at)',
      'create index api_token_warn on api_token (warn_at) where warn_at is not null',
      'create index api_token_rule on api_token (rule_id) where rule_id is not null',
    ],
  },
];
