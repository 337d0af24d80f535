// Drop links and shares that name a folder follow its move, in any collation of the database.
import { listDropLinks } from '@recordproof/shared/api/drop-links.ts';
import { createFolder, move } from '@recordproof/shared/api/folders.ts';
import { createShare, listShares } from '@recordproof/shared/api/shares.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDrop } from '../../../../test/support/drops.ts';
import { eachApp } from '../../../../test/support/each-app.ts';

const folders = ['a', 'a/b', 'A', 'A/b', 'a@b', 'a b', 'a0'];
const afterwards = ['moved', 'moved/b', 'A', 'A/b', 'a@b', 'a b', 'a0'];

eachApp((start, engine) => {
  test('a moved folder takes its drop links and shares along, and none of folders that sort beside it', async () => {
    await using app = await start();
    const { db } = app.app.database;
    if (engine === 'postgres') {
      await sql`alter table drop_link alter column path type text collate "en-x-icu"`.execute(db);
      await sql`alter table share alter column folder type text collate "en-x-icu"`.execute(db);
    }
    const alice = await app.person('alice');
    for (const folder of folders) {
      await alice.call(createFolder, { body: { path: folder } });
      await createDrop(alice, { title: folder, path: folder });
      await alice.call(createShare, {
        body: { folder, includesLater: true, title: folder, expireMinutes: 60, shareType: 0 },
      });
    }
    await alice.call(move, { body: { from: 'a', path: 'moved' } });
    const links = new Map((await alice.call(listDropLinks)).records.map(({ title, path }) => [title, path]));
    const shares = new Map((await alice.call(listShares)).records.map(({ title, folder }) => [title, folder?.path]));
    expect(folders.map(folder => links.get(folder))).toEqual(afterwards);
    expect(folders.map(folder => shares.get(folder))).toEqual(afterwards);
  });
});
