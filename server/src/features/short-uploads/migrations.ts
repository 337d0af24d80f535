// Table types and migrations of short uploads.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** A folder in the object store into which one server puts new objects. */
    short_upload_tray: {
      id: NewKey;
      place: string;
      /** Afterwards nothing of it is stored any more, and unreferenced objects are deleted. */
      closes_at: Time;
      is_closed: number;
    };
  }
}

export const shortUploadMigrations: readonly Migration[] = [
  {
    name: 'V2.0.18 tables of short uploads',
    statements: t => [
      `create table short_upload_tray (
        id ${t.key},
        place text not null unique,
        closes_at ${t.integer} not null,
        is_closed ${t.integer} not null
      ) ${t.strict}`,
      'create index short_upload_tray_closes on short_upload_tray (closes_at)',
    ],
  },
];
