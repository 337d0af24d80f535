// The location of a test database, in a form for other processes.
import type { DatabaseOptions } from '@recordproof/server/platform/db/database-options.ts';
import {
  type Database,
  type Engine,
  openDatabase,
  type QueryObserver,
} from '@recordproof/server/platform/db/open-db.ts';
import { Secret } from '@recordproof/server/platform/secret.ts';

export type TestDatabaseAddress = { readonly kind: Engine; readonly at: string };

const toConfig = ({ kind, at }: TestDatabaseAddress): DatabaseOptions =>
  kind === 'sqlite' ? { kind, path: at } : { kind, url: new Secret(at), poolSize: 10 };

export const openTestDatabase = (address: TestDatabaseAddress, observe?: QueryObserver): Promise<Database> =>
  openDatabase(toConfig(address), observe);
