// Shares under concurrent access, on both databases.

import * as adminApi from '@recordproof/shared/api/admin-shares.ts';
import { deleteFile } from '@recordproof/shared/api/files.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as logsApi from '@recordproof/shared/api/share-logs.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { checkEverything } from '../support/check-everything.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { countEnvelopes, downloadPath, share, storeFile } from '../support/shares.ts';

afterAll(stopPostgres);

const day = 24 * 3600_000;

const toEnv: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
};

type ShareContext = { app: TestApp; alice: Person; bob: Person; file: { fileHash: string } };

const times = <T>(count: number, work: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => work(i));
const kindsOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map(result => (result.status === 'fulfilled' ? 'done' : String(result.reason.kind)));
const tally = (words: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(words, word => word)].map(([word, all]) => [word, all.length]));

for (const [name, env] of Object.entries(toEnv)) {
  describe(name, () => {
    // Rivals meet on PostgreSQL; on SQLite one writer waits for the other.
    const asRival = name !== 'PostgreSQL' ? ({ tags: 'long' } as const) : {};
    async function inApp(work: (ground: ShareContext) => Promise<void>): Promise<void> {
      await using app = await startApp({ env: await env() });
      const [alice, bob] = [await app.person('alice'), await app.person('bob')];
      await work({ app, alice, bob, file: await storeFile(alice) });
      await app.drain();
      await checkEverything(app);
    }

    test('200 concurrent accesses by all ways open a share exactly as often as its limit allows', asRival, () =>
      inApp(async ({ app, alice, file }) => {
        const { shareCode: code } = await share(alice, file.fileHash, { maxAccesses: 17 });
        const open = async (index: number) => {
          if (index % 3 === 0) return app.anonymous.call(accessApi.accessShare, { params: { code } });
          if (index % 3 === 1) return app.anonymous.call(accessApi.openShare, { params: { code } });
          const response = await app.anonymous.fetch(downloadPath(code, file.fileHash));
          await response.arrayBuffer();
          if (!response.ok) throw { kind: response.status === 410 ? 'SHARE_EXPIRED' : response.status };
          return response;
        };
        const results = await Promise.allSettled(times(200, open));
        expect(tally(kindsOf(results))).toEqual({ done: 17, SHARE_EXPIRED: 183 });
        const [row] = (await alice.call(api.listShares)).records;
        expect(row).toMatchObject({ accessCount: 17, maxAccesses: 17 });
        expect((row?.viewCount ?? 0) + (row?.downloadCount ?? 0)).toBe(17);
        expect((await alice.call(logsApi.listShareLogs, { params: { code } })).total).toBe(17);
      }),
    );

    test('saves concurrent with a cancellation are complete or rejected, and none succeeds afterwards', asRival, () =>
      inApp(async ({ app, alice, file }) => {
        const more = await storeFile(alice, 'more.pdf', 2);
        const people: Person[] = [];
        for (const index of times(8, i => i)) people.push(await app.person(`saver-${index}`));
        const { shareCode: code } = await share(alice, [file.fileHash, more.fileHash]);
        const saves = people.map(person => person.call(accessApi.saveSharedFiles, { params: { code } }));
        const [results] = await Promise.all([
          Promise.allSettled(saves),
          alice.call(api.revokeShare, { params: { code } }),
        ]);
        for (const kind of kindsOf(results)) expect(['done', 'SHARE_CANCELLED', 'FILE_NOT_EXIST']).toContain(kind);
        const { saveCount } = (await alice.call(api.listShares)).records[0] ?? {};
        const copies = await app.app.database.db
          .selectFrom('file')
          .select('id')
          .where('source_file_id', 'is not', null)
          .where('status', '=', 1)
          .execute();
        expect(copies).toHaveLength(saveCount ?? -1);
        expect(await people[0]?.expectError(accessApi.saveSharedFiles, { params: { code } })).toMatchObject({
          code: 50010,
        });
        expect(await countEnvelopes(app.app.database.db, code)).toEqual({ REVOKED: 2 });
      }),
    );

    test('twenty concurrent saves by one person create one copy, counted once', asRival, () =>
      inApp(async ({ alice, bob, file }) => {
        const { shareCode: code } = await share(alice, file.fileHash);
        const saves = await Promise.all(times(20, () => bob.call(accessApi.saveSharedFiles, { params: { code } })));
        expect(new Set(saves.flat().map(copy => copy.fileHash)).size).toBe(1);
        expect(await alice.call(logsApi.getShareStats, { params: { code } })).toMatchObject({ saveCount: 1 });
      }),
    );

    test('sharing a file while it is deleted never leaves a key to the deleted file', asRival, () =>
      inApp(async ({ alice }) => {
        for (const round of times(6, i => i)) {
          const { fileHash } = await storeFile(alice, `round-${round}`, 10 + round);
          await Promise.allSettled([
            ...times(4, () => share(alice, fileHash)),
            alice.call(deleteFile, { params: { hash: fileHash } }),
          ]);
        }
      }),
    );

    test('concurrent cancellation, extension and expiry leave a share in one state', asRival, () =>
      inApp(async ({ app, alice, file }) => {
        for (const _round of times(5, i => i)) {
          const { shareCode: code } = await share(alice, file.fileHash, { expireMinutes: 1 });
          app.clock.advance(61_000);
          await Promise.allSettled([
            app.drain(),
            ...times(4, () => alice.call(api.updateShare, { params: { code }, body: { expireMinutes: 9 } })),
            ...times(2, () => alice.call(api.revokeShare, { params: { code } })),
          ]);
          expect((await alice.call(api.listShares)).records[0]).toMatchObject({ shareCode: code, status: 0 });
        }
      }),
    );

    test('concurrent creation, change, cancellation and expiry keep the share counts correct', asRival, () =>
      inApp(async ({ app, alice, bob, file }) => {
        const other = await storeFile(bob, 'other.pdf', 2);
        const made = await Promise.all([
          ...times(6, () => share(alice, file.fileHash, { expireMinutes: 1 })),
          ...times(6, () => share(bob, other.fileHash, { expireMinutes: 1 })),
        ]);
        app.clock.advance(61_000);
        const ownerOf = (index: number) => (index < 6 ? alice : bob);
        await Promise.allSettled([
          app.drain(),
          ...made.flatMap(({ shareCode: code }, index) => [
            index % 3 === 0 && ownerOf(index).call(api.revokeShare, { params: { code } }),
            index % 3 < 2 && ownerOf(index).call(api.updateShare, { params: { code }, body: { expireMinutes: 9 } }),
          ]),
          ...times(3, () => share(alice, file.fileHash)),
        ]);
        const root = await app.person('root', { role: 'admin' });
        const total = async (status: 0 | 1 | 2) =>
          (await root.call(adminApi.listAllShares, { query: { status } })).total;
        expect([await total(0), await total(1), await total(2)]).toEqual([4, 7, 4]);
        expect((await root.call(adminApi.listAllShares)).total).toBe(15);
        expect((await alice.call(api.listShares)).total).toBe(9);
        expect((await bob.call(api.listShares)).total).toBe(6);
      }),
    );

    test('of concurrent requests for the last of 10,000 active shares of an owner one succeeds', () =>
      inApp(async ({ app, alice, file }) => {
        await share(alice, file.fileHash);
        const { db } = app.app.database;
        const pretend = (shares: number) =>
          db.updateTable('share_count').set({ shares }).where('owner_id', '<>', 0).where('status', '=', 1).execute();
        await pretend(9999);
        const results = await Promise.allSettled(times(5, () => share(alice, file.fileHash)));
        expect(tally(kindsOf(results))).toEqual({ done: 1, CONFLICT: 4 });
        await pretend(2);
      }));

    test('saved copies remain when the original is purged', { tags: 'long' }, () =>
      inApp(async ({ app, alice, bob, file }) => {
        const { shareCode: code } = await share(alice, file.fileHash);
        const [copy] = await bob.call(accessApi.saveSharedFiles, { params: { code } });
        await alice.call(deleteFile, { params: { hash: file.fileHash } });
        app.clock.advance(31 * day);
        await app.drain();
        await bob.login('bob', testPassword);
        const response = await bob.fetch(`/api/v1/files/${copy?.fileHash}/download`);
        expect((await response.arrayBuffer()).byteLength).toBe(10_000);
      }),
    );
  });
}
