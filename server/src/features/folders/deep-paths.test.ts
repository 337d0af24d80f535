// @module-tag long-on-postgres
// Very deep paths: each folder above a file is a row of its own.
import { randomUUID } from 'node:crypto';
import { listFolders } from '@recordproof/shared/api/folders.ts';
import { expect, test } from 'vitest';
import { eachApp } from '../../../../test/support/each-app.ts';
import { postForm, toBulkForm } from '../../../../test/support/uploads.ts';

const bytes = Buffer.from('x');
/** A path of 1,023 bytes with 512 parts. */
const deepPath = (top: string): string => `${top}${'/a'.repeat(511)}`;

eachApp(start => {
  test('a bulk upload may be deep, but creates at most ten thousand folders', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const send = (count: number) => {
      const files = Array.from({ length: count }, (_, at) => ({
        ...{ bytes, name: `${at}.txt` },
        path: deepPath(String.fromCharCode(0x61 + at)),
      }));
      return postForm<{ results: { status: string }[] }>(
        alice,
        '/api/v1/files/upload/bulk',
        toBulkForm(files, randomUUID()),
      );
    };
    const rejection = await send(20);
    expect(rejection).toMatchObject({ status: 400, message: expect.stringContaining('10,000 folders') });
    expect((await alice.call(listFolders, { query: { path: '' } })).folders).toEqual([]);
    const stored = await send(2);
    expect(stored.data.results.map(({ status }) => status)).toEqual(['STORED', 'STORED']);
    const level = await alice.call(listFolders, { query: { path: deepPath('b').slice(0, -2) } });
    expect(level.folders).toMatchObject([{ path: deepPath('b'), files: 1 }]);
  });
});
