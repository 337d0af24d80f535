// The ledger of two server processes over one PostgreSQL, its tiles in a real S3 store, read by an independent client.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { sha256 } from '@recordproof/shared/evidence/digest.ts';
import { type LedgerEntry, parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { LogFollower, proveConsistency } from '@recordproof/shared/evidence/log-reader.ts';
import { parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { findLog } from '../../server/src/features/chain/index.ts';
import { verifyEd25519 } from '../../server/src/features/chain/ledger/ledger-key.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import { type Person, startApp } from '../support/app.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { openChainsBeside } from '../support/chains-beside.ts';
import { checkEverything } from '../support/check-everything.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { type Installation, newInstallation } from '../support/installation.ts';
import { fileRecord } from '../support/ledgers.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { type ProvingServer, startProvingServer } from '../support/proving-server.ts';
import { s3Settings, sharedCeph, stopS3 } from '../support/s3-settings.ts';
import { programs } from '../support/server-process.ts';
import { sendFile } from '../support/uploads.ts';

const run = promisify(execFile);
const whyNot = whyNoCeph();
const hourMs = 3600_000;

afterAll(async () => {
  await stopS3();
  await stopPostgres();
});

async function bytesAt(person: Person, path: string): Promise<Uint8Array> {
  const response = await person.fetch(`/ledger/${path}`);
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** A client that queries either server, and trusts neither more than the other. */
class Stranger {
  readonly entries: LedgerEntry[] = [];
  #seen = { size: 0, root: sha256(new Uint8Array(0)) };
  readonly #follower: LogFollower;
  #asked: Person | undefined;

  constructor() {
    this.#follower = new LogFollower(path => this.#read(path));
  }

  #read(path: string): Promise<Uint8Array> {
    if (this.#asked === undefined) throw new Error('nobody to ask');
    return bytesAt(this.#asked, path);
  }

  /** All that is published now, after a proof that it continues the states seen before, at either server. */
  async look(person: Person): Promise<number> {
    this.#asked = person;
    const key = parseVerifierKey(new TextDecoder().decode(await bytesAt(person, 'key')).trim());
    const checkpoint = await openCheckpoint(await bytesAt(person, 'checkpoint'), key, verifyEd25519);
    expect(checkpoint.size).toBeGreaterThanOrEqual(this.#seen.size);
    await proveConsistency(path => this.#read(path), this.#seen, checkpoint);
    this.entries.push(...(await this.#follower.follow(checkpoint, parseLedgerEntry)));
    this.#seen = checkpoint;
    return checkpoint.size;
  }

  count(kind: LedgerEntry['kind']): number {
    return this.entries.filter(entry => entry.kind === kind).length;
  }
}

const upload = async ({ root }: ProvingServer, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1)
    expect((await sendFile(root, randomBytes(20), `${index}.bin`)).status).toBe(200);
};

/** A third writer, which makes the log longer than one tile. */
async function append({ config }: Installation, count: number): Promise<void> {
  const database = await openDatabase(config.db);
  {
    await using chains = await openChainsBeside({ app: { database }, config, clock: systemClock });
    for (let number = 0; number < count; number += 1) {
      await chains.ledger.append(fileRecord(number));
      if (number % 10 === 0) await chains.ledger.publish();
    }
  }
  await database.close();
}

async function ledgerCommand(installation: Installation, action: 'verify' | 'restore') {
  const args = [programs.installed, 'ledger', action, '--data', installation.folder];
  const env = { ...process.env, ...installation.env };
  return run(process.execPath, args, { env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
  );
}

const openGround = async (more: Readonly<Record<string, string>>) =>
  newInstallation({
    ...more,
    RECORDPROOF_ADMIN_USERNAME: 'root',
    RECORDPROOF_PROFILE: 'laptop',
    DATABASE_URL: (await (await postgres()).freshDatabase()).url,
  });

describe.skipIf(whyNot !== null)(`PostgreSQL and S3${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  test('two servers write one log, one is killed and restarts, and every checkpoint extends the last', async () => {
    await using installation = await openGround(await s3Settings());
    await using one = await startProvingServer(installation.folder, installation.env);
    const stranger = new Stranger();
    const sizes: number[] = [];
    {
      await using two = await startProvingServer(installation.folder, installation.env);
      const working = Promise.all([upload(one, 30), upload(one, 15), upload(two, 30), append(installation, 150)]);
      let isDone = false;
      const watching = (async () => {
        for (let turn = 0; !isDone; turn += 1) sizes.push(await stranger.look((turn % 2 === 0 ? one : two).root));
      })();
      await working.finally(() => {
        isDone = true;
      });
      await watching;
      const dying = upload(two, 20).catch(() => 'its server died');
      await expect.poll(() => stranger.look(one.root)).toBeGreaterThan(225 + 4);
      process.kill(two.pid, 'SIGKILL');
      await dying;
    }
    expect(new Set(sizes).size, 'the log was watched while it grew').toBeGreaterThan(5);
    await using two = await startProvingServer(installation.folder, installation.env);
    await Promise.all([upload(one, 15), upload(two, 15)]);
    await expect
      .poll(() => stranger.look(two.root).then(() => stranger.count('FILE_RECORD')))
      .toBeGreaterThanOrEqual(255);
    expect(stranger.entries.length).toBeGreaterThan(256 + 2);
    expect(stranger.count('BATCH_ROOT')).toBeGreaterThan(1);
    // Heads of the audit logs still come in, so the two may be read before and after a publication.
    const isSame = async () =>
      Buffer.from(await bytesAt(one.root, 'checkpoint')).equals(await bytesAt(two.root, 'checkpoint'));
    await expect.poll(isSame).toBe(true);
    for (const server of [one, two]) await server[Symbol.asyncDispose]();
    const later = await installation.start(hourMs); // continues what the killed server had begun
    await later.tell('drain');
    await later.stop();
    await installation.checkEverything();
    expect(await ledgerCommand(installation, 'verify')).toMatchObject({ code: 0 });
  });

  test('a tile lost by the store is reported, and written again unchanged', async () => {
    await using installation = await openGround(await s3Settings());
    await using server = await startProvingServer(installation.folder, installation.env);
    await upload(server, 3);
    const stranger = new Stranger();
    await expect.poll(() => stranger.look(server.root)).toBeGreaterThan(3);
    await server[Symbol.asyncDispose]();
    await using objects = await openConfiguredStore(installation.config);
    const list = async () => (await Array.fromAsync(objects.list('ledger/tile/0/'))).map(({ key }) => key);
    const read = async (key: string) => Buffer.concat(await Array.fromAsync((await objects.get(key)).body));
    // A server that ends may leave a tile of a size that it did not publish.
    const before = new Map<string, Buffer>();
    for (const key of await list()) before.set(key, await read(key));
    for (const key of before.keys()) await objects.delete(key);
    const verified = await ledgerCommand(installation, 'verify');
    expect(verified.code).toBe(1);
    const missing = [...before.keys()].filter(key =>
      verified.stdout.includes(`${key.slice('ledger/'.length)} is missing`),
    );
    expect(missing).toHaveLength(1);
    expect(await ledgerCommand(installation, 'restore')).toMatchObject({ code: 0 });
    expect(await list()).toEqual(missing);
    for (const key of missing) expect(await read(key)).toEqual(before.get(key));
    expect(await ledgerCommand(installation, 'verify')).toMatchObject({ code: 0 });
  });

  test('an entry committed while the store hangs is published once it responds', async () => {
    const gateway = await (await sharedCeph()).startGateway();
    const { url } = await (await postgres()).freshDatabase();
    await using app = await startApp({ env: { ...(await s3Settings(gateway.endpoint)), DATABASE_URL: url } });
    await using chains = await openChainsBeside(app);
    await chains.ledger.append(fileRecord(1));
    await chains.ledger.publish();
    const stranger = new Stranger();
    expect(await stranger.look(app.anonymous)).toBe(2);
    gateway.freeze();
    expect(await chains.ledger.append(fileRecord(2))).toMatchObject({ position: 2 });
    const published = chains.ledger.publish();
    expect(await findLog(app.app.database.db)).toMatchObject({ size: 3, published_size: 2 });
    gateway.thaw();
    await published;
    expect(await stranger.look(app.anonymous)).toBe(3);
    await checkEverything(app);
    await gateway.stop();
  });
});
