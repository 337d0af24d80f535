// Table types and migrations of announcements.
import type { AnnouncementPriority } from '@recordproof/shared/api/announcements.ts';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    announcement: {
      id: NewKey;
      tenant_id: Key;
      author_id: Key;
      title: string;
      /** For case-insensitive search. */
      title_folded: string;
      content: string;
      priority: AnnouncementPriority;
      is_pinned: number;
      /** When a draft is published automatically. */
      publish_at: Time | null;
      /** When it was published; null for a draft. */
      published_at: Time | null;
      expire_at: Time | null;
      created_at: Time;
      updated_at: Time;
      deleted_at: Time | null;
    };
    announcement_read: { announcement_id: Key; user_id: Key; read_at: Time };
  }
}

export const announcementMigrations: readonly Migration[] = [
  {
    name: 'V2.0.24 tables of announcements',
    statements: t => [
      `create table announcement (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        author_id ${t.integer} not null references account (id),
        title text not null,
        title_folded text not null,
        content text not null,
        priority ${t.integer} not null check (priority in (0, 1, 2)),
        is_pinned ${t.integer} not null check (is_pinned in (0, 1)),
        publish_at ${t.integer},
        published_at ${t.integer},
        expire_at ${t.integer},
        created_at ${t.integer} not null,
        updated_at ${t.integer} not null,
        deleted_at ${t.integer}
      ) ${t.strict}`,
      'create index announcement_published on announcement (tenant_id, published_at) where deleted_at is null',
      'create index announcement_created on announcement (tenant_id, created_at) where deleted_at is null',
      `create table announcement_read (
        announcement_id ${t.integer} not null references announcement (id),
        user_id ${t.integer} not null references account (id),
        read_at ${t.integer} not null,
        primary key (announcement_id, user_id)
      ) ${t.strict}`,
    ],
  },
];
