// An installation as commit 25e89feb wrote it, the last one with the schema steps V1: an account "alice" with the password of
// the tests, and her proven file.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import type { TestDatabaseAddress } from './database-address.ts';
import { postgres, runSql } from './postgres.ts';

type Fixture = {
  readonly fileId: string;
  readonly fileHash: string;
  /** Of the data folder, in base64 by path. */
  readonly files: Readonly<Record<string, string>>;
  /** A dump of the PostgreSQL database. */
  readonly sql?: string;
};

export const earlierText = 'stored before the schema had one start\n';

export type EarlierInstallation = AsyncDisposable &
  Pick<Fixture, 'fileId' | 'fileHash'> & {
    readonly folder: string;
    readonly address: TestDatabaseAddress;
    /** The settings that name the database. */
    readonly env: Readonly<Record<string, string>>;
  };

export async function openEarlierInstallation(engine: Engine): Promise<EarlierInstallation> {
  const path = fileURLToPath(new URL(`../contracts/earlier-schema/${engine}.json.gz`, import.meta.url));
  const { fileId, fileHash, files, sql = '' } = JSON.parse(gunzipSync(await readFile(path)).toString()) as Fixture;
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-earlier-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), Buffer.from(content, 'base64'), { mode: 0o600 });
  }
  const installation = { fileId, fileHash, folder };
  if (engine === 'sqlite') {
    const address: TestDatabaseAddress = { kind: engine, at: join(folder, 'recordproof.db') };
    const closing = opening.move();
    return { ...installation, address, env: {}, [Symbol.asyncDispose]: () => closing.disposeAsync() };
  }
  const { url, drop } = await (await postgres()).freshDatabase();
  opening.defer(drop);
  await runSql(url, sql);
  const closing = opening.move();
  const address: TestDatabaseAddress = { kind: engine, at: url };
  return { ...installation, address, env: { DATABASE_URL: url }, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
