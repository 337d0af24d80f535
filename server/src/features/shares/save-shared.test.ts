// Saving a shared file: the access to it is checked again when the copy is stored.
import { updateShare } from '@recordproof/shared/api/shares.ts';
import { expect, test } from 'vitest';
import { eachApp } from '../../../../test/support/each-app.ts';
import { share, storeFile } from '../../../../test/support/shares.ts';
import { localCall } from '../../platform/call.ts';
import { type FileRow, listFilesByHash } from '../files/index.ts';
import { findShareByCode } from './queries.ts';
import { shareGiver } from './save-shared.ts';

eachApp(start => {
  test('a file removed from a share during a save is not stored', async () => {
    await using app = await start();
    const { db } = app.app.database;
    const alice = await app.person('alice');
    const hashes = [(await storeFile(alice, '1.pdf', 1)).fileHash, (await storeFile(alice, '2.pdf', 2)).fileHash];
    const { shareCode: code } = await share(alice, hashes);
    await alice.call(updateShare, { params: { code }, body: { removeFiles: hashes.slice(1) } });
    const tenantId = (await findShareByCode(db, code))?.tenant_id ?? 0;
    const rows = new Map((await listFilesByHash(db, tenantId, hashes)).map(row => [row.file_hash, row]));
    const confirm = (hash = '') => {
      const source = rows.get(hash) as FileRow;
      const call = localCall('test', tenantId, 0);
      const copy = { tenantId, giftId: code, source, copy: source, call, userAgent: null };
      return db.transaction().execute(tx => shareGiver({ clock: app.clock }).confirm(tx, copy));
    };
    await confirm(hashes[0]);
    await expect(confirm(hashes[1])).rejects.toMatchObject({ kind: 'FILE_NOT_EXIST' });
    expect(await findShareByCode(db, code)).toMatchObject({ save_count: 1 });
  });
});
