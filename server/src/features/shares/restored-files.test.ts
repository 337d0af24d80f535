// Files restored from the trash: the shares and friend shares they were in stay ended for them.
import { deleteFile } from '@recordproof/shared/api/files.ts';
import { move } from '@recordproof/shared/api/folders.ts';
import { getFriendShare, shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import { createShare, shareTypes, updateShare } from '@recordproof/shared/api/shares.ts';
import { restoreFromTrash } from '@recordproof/shared/api/trash.ts';
import { expect, test } from 'vitest';
import type { Person } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { befriend, idOf } from '../../../../test/support/friends.ts';
import { fetchShared, share, storeFile } from '../../../../test/support/shares.ts';
import { completeDirect, sendDirect, sendFile } from '../../../../test/support/uploads.ts';

const deleteAll = async (person: Person, hashes: readonly string[]) => {
  for (const hash of hashes) await person.call(deleteFile, { params: { hash } });
};
const restoreAll = (person: Person, fileHash: string[]) => person.call(restoreFromTrash, { body: { fileHash } });

eachApp(start => {
  test('restored files are in no share, sealed or not, until they are shared again', async () => {
    await using app = await start();
    const [alice, bob] = [await app.person('alice'), await app.person('bob')];
    const { fileHash: sealed } = await storeFile(alice, 'sealed.pdf', 1);
    const started = await sendDirect(alice, await pattern(4000, 2), { name: 'plain.pdf' });
    const { fileHash: plain } = await completeDirect(alice, started.clientId);
    const { fileHash: kept } = await storeFile(alice, 'kept.pdf', 3);
    const { shareCode: code } = await share(alice, [sealed, plain, kept]);
    await befriend(alice, bob);
    const { id } = await alice.call(shareWithFriend, {
      body: { friendId: await idOf(bob), fileHashes: [sealed, plain, kept] },
    });
    await deleteAll(alice, [sealed, plain]);
    await restoreAll(alice, [sealed, plain]);

    const open = () => app.anonymous.call(accessApi.openShare, { params: { code }, body: {} });
    const statuses = async () =>
      Promise.all([sealed, plain, kept].map(async hash => (await fetchShared(app.anonymous, code, hash)).status));
    expect((await open()).files.map(({ fileName }) => fileName)).toEqual(['kept.pdf']);
    expect(await statuses()).toEqual([404, 404, 200]);
    expect((await app.anonymous.fetch(`/s/${code}/all.zip`)).status).toBe(200);
    const given = await bob.call(getFriendShare, { params: { id } });
    expect(given.files.map(({ fileName }) => fileName)).toEqual(['kept.pdf']);
    await alice.call(updateShare, { params: { code }, body: { addFiles: [sealed, plain] } });
    expect(await statuses()).toEqual([200, 200, 200]);
    await checkEverything(app);
  });

  test('a change of a share during the restore does not bring the file back into it', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const [first, second, third] = [
      await storeFile(alice, '1.pdf', 1),
      await storeFile(alice, '2.pdf', 2),
      await storeFile(alice, '3.pdf', 3),
    ];
    for (let round = 0; round < 5; round += 1) {
      const { shareCode: code } = await share(alice, [first.fileHash, second.fileHash]);
      await deleteAll(alice, [first.fileHash]);
      await Promise.all([
        restoreAll(alice, [first.fileHash]),
        alice.call(updateShare, { params: { code }, body: { addFiles: [third.fileHash] } }),
      ]);
      const { files } = await app.anonymous.call(accessApi.openShare, { params: { code }, body: {} });
      expect(files.map(({ fileName }) => fileName)).toEqual(['2.pdf', '3.pdf']);
    }
  });

  test('files restored at the same time as others, while their folder is moved: no call fails by a deadlock', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    for (let round = 0; round < 3; round += 1) {
      const folder = `a${round}`;
      const hashes: string[] = [];
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        const { data } = await sendFile(alice, await pattern(1000, 10 * round + seed), `${seed}.pdf`, { path: folder });
        hashes.push(data?.fileHash ?? '');
      }
      for (const hash of hashes) await share(alice, [hash]);
      const body = { folder, includesLater: false, expireMinutes: 60, shareType: shareTypes.PUBLIC };
      await alice.call(createShare, { body });
      await deleteAll(alice, hashes);
      const ends = await Promise.allSettled([
        restoreAll(alice, hashes.slice(0, 3)),
        restoreAll(alice, hashes.slice(3).reverse()),
        alice.call(move, { body: { from: folder, path: `b${round}`, onConflict: 'fail' } }),
      ]);
      expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    }
  });
});
