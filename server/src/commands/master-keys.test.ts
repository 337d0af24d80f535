import { randomBytes } from 'node:crypto';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { startUpload } from '@recordproof/shared/api/uploads.ts';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../test/support/app.ts';
import { storeProxied, toPlan } from '../../../test/support/uploads.ts';
import { addMasterKey, listMasterKeys, retireMasterKey, toMasterKeyLine } from './master-keys.ts';

const toPlace = ({ app, config, clock }: TestApp) => ({ db: app.database.db, config, clock });

test('a new master key is taken up by the running server, and what the old one wrapped still opens', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const bytes = randomBytes(1000);
  const before = await storeProxied(ada, bytes);
  expect((await addMasterKey(toPlace(app))).text).toContain('version 2');
  expect((await listMasterKeys(toPlace(app))).map(toMasterKeyLine).join('')).toMatch(
    /version 1\tOLD.*\n.*version 2\tACTIVE/,
  );
  await storeProxied(ada, randomBytes(10));
  const rows = await app.app.database.db.selectFrom('envelope').select('provider_key_version').orderBy('id').execute();
  expect(rows.map(row => row.provider_key_version)).toEqual(['1', '2']);
  const answer = await ada.fetch(downloadFile.path.replace('{hash}', before.fileHash));
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
});

test('a version that files or uploads under way need is not retired, and one that nothing needs is', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const place = toPlace(app);
  const { clientId } = await ada.call(startUpload, { body: toPlan(randomBytes(5000)) });
  await addMasterKey(place);
  await expect(retireMasterKey(place, '1')).rejects.toThrow('not a minute old');
  app.clock.advance(61_000);
  await expect(retireMasterKey(place, '1')).rejects.toThrow('uploads under way');
  await app.app.database.db
    .updateTable('upload')
    .set({ status: 'CANCELLED' })
    .where('client_id', '=', clientId)
    .execute();
  await storeProxied(ada, randomBytes(10));
  await addMasterKey(place);
  app.clock.advance(61_000);
  await expect(retireMasterKey(place, '2')).rejects.toThrow('still wrapped by master key version 2');
  expect((await retireMasterKey(place, '1')).text).toContain('forgotten');
  expect((await listMasterKeys(place)).map(({ version }) => version)).not.toContain('1');
  await expect(retireMasterKey(place, '3')).rejects.toThrow('active master key cannot be removed');
  await expect(retireMasterKey(place, undefined)).rejects.toThrow('--version N');
});
