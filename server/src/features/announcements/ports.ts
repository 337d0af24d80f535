import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';

export type AnnouncementPorts = { readonly database: Pick<Database, 'db' | 'kind'>; readonly clock: Clock };
