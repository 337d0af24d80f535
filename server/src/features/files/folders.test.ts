import { listFolders } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

test('the folders of the own files are listed with how many files came from each; those of others are not', async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const paths = ['b', 'a/b', 'a', 'a/b'];
  for (const [at, path] of paths.entries()) await sendFile(ada, Buffer.from(`file ${at}`), `${at}.txt`, { path });
  await sendFile(ada, Buffer.from('loose'), 'loose.txt');
  await sendFile(await app.person('bob'), Buffer.from('his'), 'his.txt', { path: 'his' });
  await sendFile(await app.person('eve', { tenant: 'other' }), Buffer.from('hers'), 'hers.txt', { path: 'hers' });
  expect(await ada.call(listFolders)).toEqual({
    folders: [
      { path: 'a', files: 1 },
      { path: 'a/b', files: 2 },
      { path: 'b', files: 1 },
    ],
    more: false,
  });
  expect((await app.anonymous.refused(listFolders)).status).toBe(401);
});
