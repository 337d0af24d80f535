// Kills a server at every commit during the saving of a shared file, one after the other, and checks each time that the
// next server makes one whole copy of it.
import { createAccount, getDefaultTenant } from '@recordproof/server/features/accounts/index.ts';
import { localOrigin } from '@recordproof/server/platform/call.ts';
import { hashPassword } from '@recordproof/server/platform/crypto/password-text.ts';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/share-access.ts';
import { afterAll, expect, test } from 'vitest';
import { Person, testPassword } from '../support/app.ts';
import { type Installation, newInstallation, type ServerProcess } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { share, storeFile } from '../support/shares.ts';

/** Longer than any lease. */
const leaseMs = 120_000;
const weekMs = 7 * 24 * 3600_000;

afterAll(stopPostgres);

async function addBob(installation: Installation): Promise<void> {
  const server = await installation.start();
  await server.stop();
  const database = await openDatabase(installation.config.db);
  try {
    const passwordHash = await hashPassword(testPassword);
    await database.db.transaction().execute(async tx => {
      const tenantId = await getDefaultTenant(tx);
      const account = { tenantId, username: 'bob', email: 'bob@example.org', role: 'user' as const, passwordHash };
      await createAccount(tx, localOrigin('test', 0), account, 0);
    });
  } finally {
    await database.close();
  }
}

async function bobAt({ url }: ServerProcess): Promise<Person> {
  const bob = new Person('bob', url);
  await bob.login('bob', testPassword);
  return bob;
}

/** Returns the number of commits at which a server was killed. */
async function crashAtEveryCommit(installation: Installation): Promise<number> {
  let aheadMs = 0;
  for (let crashPoint = 1; ; crashPoint += 1) {
    const first = await installation.start(aheadMs);
    const alice = await first.admin();
    const { fileHash, contentHash } = await storeFile(alice, `file-${crashPoint}`, crashPoint);
    const { shareCode: code } = await share(alice, fileHash, { expireMinutes: 43_200 });
    const save = async (server: ServerProcess) => (await bobAt(server)).call(api.saveSharedFiles, { params: { code } });
    const bob = await bobAt(first);
    await first.tell(`die ${crashPoint}`);
    const isSaved = await bob.call(api.saveSharedFiles, { params: { code } }).then(
      () => true,
      () => false,
    );
    if (isSaved) {
      await first.stop();
      return finish(installation, aheadMs, crashPoint - 1);
    }
    expect(await first.child.ended).toBe('SIGKILL');
    aheadMs += leaseMs;
    const second = await installation.start(aheadMs);
    const [copy] = await save(second);
    expect(copy?.contentHash, `after the crash at moment ${crashPoint}`).toBe(contentHash);
    expect(await save(second)).toEqual([copy]);
    await second.stop();
  }
}

async function finish(installation: Installation, aheadMs: number, kills: number): Promise<number> {
  const last = await installation.start(aheadMs + weekMs);
  await last.tell('drain');
  const { total } = await (await bobAt(last)).call(listFiles);
  expect(total, 'one copy of each file').toBe(kills + 1);
  await last.stop();
  await installation.checkAllEnded();
  await installation.checkEverything();
  return kills;
}

const toEnv: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
};

for (const [name, env] of Object.entries(toEnv)) {
  test(`killed at any commit of saving a share, on ${name}, the next server creates one complete copy`, async () => {
    await using installation = await newInstallation(await env());
    await addBob(installation);
    const kills = await crashAtEveryCommit(installation);
    console.log(`${name}: killed at ${kills} moments`);
    expect(kills).toBeGreaterThan(5);
  });
}
