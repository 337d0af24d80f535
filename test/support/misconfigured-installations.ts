// An installation and wrong locations that a configuration error makes of it: its keys and objects, with a database
// that is empty, of another installation, an older copy, or in use by a second server.
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/src/config/config.ts';
import { findWriter } from '../../server/src/features/chain/index.ts';
import type { Engine } from '../../server/src/platform/db/open-db.ts';
import { startApp, type TestApp } from './app.ts';
import { openConfiguredStore } from './configured-store.ts';
import { migratedTemplate, postgres, runSql } from './postgres.ts';
import { s3Settings } from './s3-settings.ts';
import { sendFile } from './uploads.ts';

export type Env = Readonly<Record<string, string>>;
export type StoreKind = 'disk' | 'S3';

const realClock = { now: () => Date.now(), advance: () => {} };

/** Of a folder that is stopped. */
type Stopped = { readonly folder: string; readonly env: Env };

export class MisconfiguredInstallations implements AsyncDisposable {
  readonly #opened = new AsyncDisposableStack();
  readonly #engine: Engine;
  readonly #s3: Env;
  production!: Stopped;
  #other: Promise<Stopped> | undefined;
  #older!: Stopped;
  #newest!: Stopped;

  private constructor(engine: Engine, s3: Env) {
    this.#engine = engine;
    this.#s3 = s3;
  }

  static async make(engine: Engine, store: StoreKind): Promise<MisconfiguredInstallations> {
    const installations = new MisconfiguredInstallations(engine, store === 'S3' ? await s3Settings() : {});
    installations.production = await installations.#newInstallation(installations.#s3, migratedTemplate);
    await installations.#storeIn(installations.production, 'before the backup');
    installations.#older = await installations.#copyDatabase(installations.production);
    await installations.#storeIn(installations.production, 'after the backup');
    installations.#newest = await installations.#copyDatabase(installations.production);
    return installations;
  }

  /** The server of the production. */
  start(): Promise<TestApp> {
    return this.startAt(this.production);
  }

  startAt({ folder, env }: Stopped): Promise<TestApp> {
    return startApp({ folder, env, clock: realClock });
  }

  /** The keys and objects of the production, and a database without any installation. */
  empty = async (): Promise<Stopped> => this.#besideKeys(await this.#newInstallation(this.#s3));

  /** Its objects alone: with a mistyped data folder, too. */
  mistyped = async (): Promise<Stopped> => this.#besideObjects(await this.#newInstallation(this.#s3));

  otherDatabase = async (): Promise<Stopped> =>
    this.#besideKeys(await this.#copyDatabase(await this.#another(), this.#s3));

  /** Another installation, keys and all, that names the objects of the production. */
  otherInstallation = async (): Promise<Stopped> => {
    const other = await this.#another();
    const installation = await this.#copyDatabase(other, this.#s3);
    await cp(join(other.folder, 'keys'), join(installation.folder, 'keys'), { recursive: true });
    return this.#besideObjects(installation);
  };

  olderElsewhere = async (): Promise<Stopped> => this.#besideKeys(await this.#copyDatabase(this.#older, this.#s3));

  copyElsewhere = async (): Promise<Stopped> => this.#besideKeys(await this.#copyDatabase(this.#newest, this.#s3));

  /** A current copy whose original has not ended in order: its server may still run. The production is stopped. */
  copyBesideServer = async (): Promise<Stopped> => {
    const copy = await this.#besideKeys(await this.#copyDatabase(this.production, this.#s3));
    await using store = await openConfiguredStore(await readConfig([], this.production.env));
    const record = await findWriter(store);
    const bytes = Buffer.from(JSON.stringify({ ...record, renewedAt: new Date().toISOString(), isReleased: false }));
    await store.put('ledger/writer', [bytes], { size: bytes.length });
    return copy;
  };

  /** As an operator restores a dump, or a copy of the file, over the database. */
  async restoreOlderInPlace(): Promise<void> {
    const { folder, env } = this.production;
    if (this.#engine === 'sqlite') {
      await cp(join(this.#older.folder, 'recordproof.db'), join(folder, 'recordproof.db'));
      return;
    }
    const [url, older] = [env, this.#older.env].map(({ DATABASE_URL = '' }) => new URL(DATABASE_URL));
    if (url === undefined || older === undefined) throw new Error('no URL');
    const admin = new URL('/postgres', url).href;
    await runSql(admin, `drop database ${url.pathname.slice(1)} with (force)`);
    await runSql(admin, `create database ${url.pathname.slice(1)} template ${older.pathname.slice(1)}`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }

  #another(): Promise<Stopped> {
    this.#other ??= (async () => {
      const installation = await this.#newInstallation({}, migratedTemplate);
      await this.#storeIn(installation, 'of another installation');
      return installation;
    })();
    return this.#other;
  }

  async #storeIn(installation: Stopped, text: string): Promise<void> {
    await using app = await this.startAt(installation);
    await sendFile(await app.person(`person-${text.replaceAll(' ', '-')}`.slice(0, 20)), Buffer.from(text));
    await app.app.server.ledger.publish();
  }

  async #newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-wrong-'));
    this.#opened.defer(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  async #newInstallation(s3: Env, template?: string): Promise<Stopped> {
    const folder = join(await this.#newFolder(), 'data');
    await mkdir(folder, { mode: 0o700 });
    const env = { RECORDPROOF_DATA: folder, RECORDPROOF_RESERVE_BYTES: '0', RECORDPROOF_LOG_LEVEL: 'silent', ...s3 };
    if (this.#engine === 'sqlite') return { folder, env };
    const database = await (await postgres()).freshDatabase(template);
    this.#opened.defer(() => database.drop());
    return { folder, env: { ...env, DATABASE_URL: database.url } };
  }

  /** In a data folder that holds nothing else. */
  async #copyDatabase(from: Stopped, s3: Env = {}): Promise<Stopped> {
    const name = new URL(from.env.DATABASE_URL ?? 'sqlite:///none').pathname.slice(1);
    const installation = await this.#newInstallation(s3, name);
    if (this.#engine === 'sqlite')
      await cp(join(from.folder, 'recordproof.db'), join(installation.folder, 'recordproof.db'));
    return installation;
  }

  async #besideKeys(installation: Stopped): Promise<Stopped> {
    await cp(join(this.production.folder, 'keys'), join(installation.folder, 'keys'), { recursive: true });
    return this.#besideObjects(installation);
  }

  /** A folder of objects that both name. */
  async #besideObjects(installation: Stopped): Promise<Stopped> {
    if (Object.keys(this.#s3).length === 0)
      await symlink(join(this.production.folder, 'objects'), join(installation.folder, 'objects'));
    return installation;
  }
}
