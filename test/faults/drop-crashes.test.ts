// Kills a server at every commit during the completion of an anonymous upload, one after the other, and checks each
// time that the next server has one record and one receipt of it.
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import * as api from '@recordproof/shared/api/drop-senders.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { openDropSender } from '@recordproof/shared/transfer/drop-upload.ts';
import { afterAll, expect, test } from 'vitest';
import { pattern } from '../support/bytes.ts';
import { createDrop, dropPorts, enter, toDropFile } from '../support/drops.ts';
import { type Installation, newInstallation } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';

/** Longer than any lease. */
const leaseMs = 120_000;
/** Checks every n-th commit only. */
const step = Number(process.env.DROP_STEP ?? 1);

afterAll(stopPostgres);

const tries = { maxTries: 1, firstWaitMs: 1, maxWaitMs: 1 };

async function crashAtEveryCommit(installation: Installation): Promise<number> {
  let aheadMs = 0;
  let kills = 0;
  // The server that recovers is the next one to be killed: starts and sign-ins take most of the time.
  let server = await installation.start();
  let alice = await server.admin();
  for (let crashPoint = 1; ; crashPoint += step) {
    const link = await createDrop(alice, { path: `in-${crashPoint}` });
    const ports = (url: string) => ({ ...dropPorts(url, link.code), policy: tries });
    const stranger = await enter(ports(server.url));
    const file = toDropFile(await pattern(10_000, crashPoint));
    const { id } = await alice.client.call(api.startDropFile, {
      params: { code: link.code },
      headers: { [api.dropSenderHeader]: stranger.token },
      body: { key: file.key, fileName: file.name, fileSize: 10_000, contentType: file.type },
    });
    await server.tell(`die ${crashPoint}`);
    const isSent = await stranger.send(file).then(
      () => true,
      () => false,
    );
    if (isSent) {
      await server.stop();
      await expectOne(installation, link.id);
      return kills;
    }
    expect(await server.child.ended).toBe('SIGKILL');
    kills += 1;
    aheadMs += leaseMs;
    server = await installation.start(aheadMs);
    alice = await server.admin();
    // Half of the senders retry; for the others the server recovers by itself.
    const again = openDropSender(ports(server.url), stranger.token);
    if (crashPoint % 2 === 0) await again.send(file);
    await server.tell('drain');
    const [sent] = await again.list();
    if (sent?.state !== 'COMPLETED') expect(await again.send(file)).toMatchObject({ id, state: 'COMPLETED' });
    const { receipt } = await again.send(file);
    expect((await again.send(file)).receipt, `after the crash at moment ${crashPoint}`).toBe(receipt);
    const { total } = await alice.call(listFiles, { query: { folder: `in-${crashPoint}` } });
    expect(total, `records after the crash at moment ${crashPoint}`).toBe(1);
    await server.tell('drain');
    await server.tell('secrets');
    await expectOne(installation, link.id);
  }
}

/** One record and one receipt, in the rows and in the ledger. */
async function expectOne({ config }: Installation, linkId: string): Promise<void> {
  const { db, close } = await openDatabase(config.db);
  try {
    const arrivals = await db.selectFrom('drop_arrival').selectAll().where('link_id', '=', Number(linkId)).execute();
    expect(arrivals).toMatchObject([{ receipt: expect.any(String) }]);
    const link = await db.selectFrom('drop_link').selectAll().where('id', '=', Number(linkId)).executeTakeFirst();
    expect(link).toMatchObject({ arrived_files: 1, arrived_bytes: 10_000 });
    const all = await db.selectFrom('drop_arrival').select('id').where('receipt', 'is not', null).execute();
    const entries = await db
      .selectFrom('ledger_entry')
      .select('position')
      .where('kind', '=', 'RECEIPT_ISSUED')
      .execute();
    expect(entries).toHaveLength(all.length);
  } finally {
    await close();
  }
}

const toEnv: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
};

for (const [name, env] of Object.entries(toEnv)) {
  test(`killed at any commit of a drop upload, on ${name}, the server stores one record and one receipt`, async () => {
    await using installation = await newInstallation(await env());
    expect(await crashAtEveryCommit(installation)).toBeGreaterThan(Math.floor(10 / step));
    const last = await installation.start(7 * 24 * 3600_000);
    await last.tell('drain');
    await last.stop();
    await installation.checkAllEnded();
    await installation.checkEverything();
  });
}
