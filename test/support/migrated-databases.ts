// New databases with a schema. The first of a schema is migrated, and kept as the template of all others in this process:
// on PostgreSQL the steps of the whole schema take forty times as long as a copy.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations as wholeSchema } from '@recordproof/server/compose/features.ts';
import type { DatabaseOptions } from '@recordproof/server/platform/db/database-options.ts';
import { type Migration, migrate } from '@recordproof/server/platform/db/migrate.ts';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { Secret } from '@recordproof/server/platform/secret.ts';
import { type FreshDatabase, makeTemplate, postgres } from './postgres.ts';
import { takeReusable } from './reusable-databases.ts';

type Migrations = readonly Migration[];

async function bringIntoShape(options: DatabaseOptions, migrations: Migrations): Promise<void> {
  const database = await openDatabase(options);
  try {
    await migrate(database.db, options.kind, migrations, 0);
  } finally {
    await database.close();
  }
}

/** A PostgreSQL database to copy, which nothing is connected to. */
export async function makeMigratedTemplate(port: number, name: string, migrations: Migrations): Promise<void> {
  await makeTemplate(port, name, url =>
    bringIntoShape({ kind: 'postgres', url: new Secret(url), poolSize: 1 }, migrations),
  );
}

const templates = new Map<number, Map<Migrations, Promise<string>>>();

async function templateOf(port: number, migrations: Migrations): Promise<string> {
  const ofServer = templates.get(port) ?? new Map<Migrations, Promise<string>>();
  templates.set(port, ofServer);
  const name = `template_${randomUUID().replaceAll('-', '')}`;
  const template = ofServer.get(migrations) ?? makeMigratedTemplate(port, name, migrations).then(() => name);
  ofServer.set(migrations, template);
  return template;
}

export async function newDatabaseWith(migrations: Migrations): Promise<FreshDatabase> {
  const reusable = migrations === wholeSchema ? await takeReusable() : undefined;
  if (reusable) return reusable;
  const server = await postgres();
  return server.freshDatabase(migrations.length === 0 ? undefined : await templateOf(server.port, migrations));
}

const files = new Map<Migrations, Promise<Buffer>>();

async function readMigratedFile(migrations: Migrations): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-template-'));
  try {
    const path = join(folder, 'template.db');
    await bringIntoShape({ kind: 'sqlite', path }, migrations);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates an SQLite file; without migrations, none, and the database is empty when it is opened. */
export async function newFileWith(migrations: Migrations, path: string): Promise<void> {
  if (migrations.length === 0) return;
  const file = files.get(migrations) ?? readMigratedFile(migrations);
  files.set(migrations, file);
  await writeFile(path, await file);
}
