// Rejections by PostgreSQL: each is reported in one sentence with the SQL that fixes it, and that SQL works.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { openSchema } from '@recordproof/server/compose/open-schema.ts';
import { Secret } from '@recordproof/server/platform/secret.ts';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { type FreshDatabase, postgres, runSql, stopPostgres } from '../support/postgres.ts';

let folder: string;
let admin: string;
let role: string;
let empty: FreshDatabase;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recordproof-refusals-'));
  role = `role_${randomUUID().replaceAll('-', '')}`;
  empty = await (await postgres()).freshDatabase();
  admin = empty.url;
});
afterEach(async () => {
  await empty.drop();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(stopPostgres);

async function begin(url: string): Promise<void> {
  const db = { kind: 'postgres', url: new Secret(url), poolSize: 2 } as const;
  const objects = { kind: 'disk', folder: join(folder, 'objects') } as const;
  const parts = { db, objects, dataFolder: folder, keysFolder: join(folder, 'keys') };
  const { database } = await openSchema(parts, migrations, 0);
  await database.close();
}

const rejectionOf = (url: string): Promise<string> =>
  begin(url).then(
    () => 'nothing was refused',
    error => `${error.constructor.name}: ${error.message}`,
  );

const asRole = (database: string): string => {
  const url = new URL(admin);
  url.username = role;
  url.password = 'hunter2';
  url.pathname = `/${database}`;
  return url.href;
};

const sqlIn = (sentence: string): string => /as its administrator: (.*);$/.exec(sentence)?.[1] ?? '';

test('a missing role, a missing database and a schema of another owner are rejected', { tags: 'long' }, async () => {
  const { host, pathname } = new URL(admin);
  const given = pathname.slice(1);
  const noRole = await rejectionOf(asRole(given));
  expect(noRole).toBe(
    `DatabaseUnavailable: PostgreSQL at ${host} rejects the user "${role}" (role "${role}" does not exist); as its administrator: CREATE ROLE "${role}" LOGIN PASSWORD '…';`,
  );
  await runSql(admin, sqlIn(noRole));

  const noDatabase = await rejectionOf(asRole(`${role}-x`));
  expect(noDatabase).toBe(
    `DatabaseUnavailable: PostgreSQL at ${host} has no database "${role}-x"; as its administrator: CREATE DATABASE "${role}-x" OWNER "${role}";`,
  );
  await runSql(admin, sqlIn(noDatabase));
  await begin(asRole(`${role}-x`));

  for (const half of ['keys', 'objects']) rmSync(join(folder, half), { recursive: true }); // of the previous installation
  const notItsOwn = await rejectionOf(asRole(given));
  expect(notItsOwn).toBe(
    `DatabaseUnavailable: PostgreSQL at ${host} does not permit "${role}" to create tables in "${given}" (permission denied for schema public); as its administrator: ALTER DATABASE "${given}" OWNER TO "${role}";`,
  );
  await runSql(admin, sqlIn(notItsOwn));
  await begin(asRole(given));
  await runSql(admin, `drop database "${role}-x"`);
});
