// Repeated kills of a server while it deletes a tenant with thousands of files, and while it purges the bytes. Each
// start continues: in the end the store has nothing of the tenant, and the other tenant has all its files.
import { randomInt } from 'node:crypto';
import * as tenants from '@recordproof/shared/api/tenants.ts';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import { Person, testPassword } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { type Installation, newInstallation } from '../support/installation.ts';
import { makeAccount } from '../support/people.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { sendMany, storeProxied } from '../support/uploads.ts';

afterAll(stopPostgres);

const kills = Number(process.env.KILLS ?? 4);
const files = Number(process.env.FILES ?? 2000);
const filesPerCall = 250;
const dayMs = 24 * 3600_000;
/** After the retention of deleted files. */
const purgedAfterMs = 400 * dayMs;
const patience = { timeout: 1_800_000 };

/** Stored bytes of files: without the tiles of the ledger, which grows. */
async function listKeys({ config }: Installation): Promise<Set<string>> {
  await using store = await openConfiguredStore(config);
  const objects = await Array.fromAsync(store.list(''));
  return new Set(objects.map(({ key }) => key).filter(key => !key.startsWith('ledger/')));
}

async function countLive({ config }: Installation, tenant: number): Promise<number> {
  const database = await openDatabase(config.db);
  const live = database.db.selectFrom('file').select(({ fn }) => fn.countAll().as('count'));
  const { count } = await live.where('tenant_id', '=', tenant).where('status', '=', 1).executeTakeFirstOrThrow();
  await database.close();
  return Number(count);
}

async function store(person: Person, count: number, seed: number): Promise<void> {
  for (let at = 0; at < count; at += filesPerCall) {
    const size = Math.min(filesPerCall, count - at);
    const some = await Promise.all(Array.from({ length: size }, (_, nth) => pattern(200, seed + at + nth)));
    const { status, message } = await sendMany(
      person,
      some.map(bytes => ({ bytes })),
    );
    expect(status, message).toBe(200);
  }
  await storeProxied(person, await pattern(20_000, seed + count));
}

/** Returns the number of files at each kill. */
async function killAtWork(installation: Installation, aheadMs: number, progress: () => Promise<number>) {
  const seen: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const server = await installation.start(aheadMs);
    server.child.send(`die ${randomInt(1, Math.ceil(files / kills))}`);
    expect(await server.child.ended).toBe('SIGKILL');
    seen.push(await progress());
  }
  return seen;
}

async function drainAt(installation: Installation, aheadMs: number): Promise<void> {
  const server = await installation.start(aheadMs);
  await server.tell('drain');
  await server.stop();
}

/** Two tenants with files. `own`: the objects of the tenant that stays; `doomed`: those of the other. */
async function fill(installation: Installation) {
  const server = await installation.start();
  const root = await server.admin();
  const database = await openDatabase(installation.config.db);
  const { tenantId } = await makeAccount(database.db, 'ada', 'admin', 'acme');
  await database.close();
  await store(root, 100, 1);
  const own = await listKeys(installation);
  const ada = new Person('ada', server.url);
  await ada.login('acme/ada', testPassword);
  await store(ada, files, 1_000_000);
  const doomed = (await listKeys(installation)).difference(own);
  expect(doomed.size).toBeGreaterThanOrEqual(files);
  const [acme] = (await root.call(tenants.listTenants, { query: { keyword: 'acme' } })).records;
  await root.call(tenants.deleteTenant, { params: { id: acme?.id ?? '' }, query: { name: 'acme' } });
  await server.child.kill();
  return { own, doomed, tenantId };
}

test.each(['SQLite', 'PostgreSQL'])(
  '%s: a tenant deletion that is killed resumes, and deletes nothing of other tenants',
  patience,
  async name => {
    const url = name === 'SQLite' ? {} : { DATABASE_URL: (await (await postgres()).freshDatabase()).url };
    await using installation = await newInstallation({ RECORDPROOF_PROFILE: 'laptop', ...url });
    const { own, doomed, tenantId } = await fill(installation);
    const left = await killAtWork(installation, 0, () => countLive(installation, tenantId));
    await drainAt(installation, 0);
    expect(await countLive(installation, tenantId)).toBe(0);
    const objects = await killAtWork(
      installation,
      purgedAfterMs,
      async () => (await listKeys(installation)).intersection(doomed).size,
    );
    await drainAt(installation, purgedAfterMs);
    await drainAt(installation, purgedAfterMs + 4 * dayMs);
    console.log(
      `${name}: killed at ${left.join(', ')} files and ${objects.join(', ')} objects that were left of ${doomed.size}`,
    );
    const keys = await listKeys(installation);
    expect([...keys.intersection(doomed)], 'objects of the deleted tenant').toEqual([]);
    expect(own.difference(keys), 'objects of the other tenant').toEqual(new Set());
    expect(Math.max(...left), 'a kill in the middle').toBeGreaterThan(0);
    await installation.checkEverything();
    await installation.checkAllEnded();
  },
);
