// Import of legacy records: accepted and rejected lines, reports, quota, repetition and concurrency.
import * as api from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { importText, makeLegacy, toLines } from '../../../../test/support/legacy-world.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';

const sound = 1; // the first kind

eachApp(start => {
  test('imported records are listed, counted and audited, and skipped by a second import', async () => {
    await using app = await start();
    const ada = await app.person('ada');
    const [record] = await makeLegacy(app, 'ada', sound);
    if (record === undefined) throw new Error('there is no record');
    const text = `${toLines([record])}\n  \n`;
    expect(await importText(app, text)).toEqual({ lines: 1, imported: 1, known: 0, refused: 0, told: [] });
    expect(await importText(app, text)).toEqual({ lines: 1, imported: 0, known: 1, refused: 0, told: [] });
    const { records } = await ada.call(api.listFiles, { query: {} });
    expect(records).toMatchObject([
      { fileHash: record.line.fileHash, manifestHash: null, transactionHash: null, proofStatus: 'NONE', version: 1 },
    ]);
    expect(await ada.call(api.fileQuota)).toMatchObject({ user: { usedFiles: 1, usedBytes: record.line.fileSize } });
    const { db } = app.app.database;
    const noted = await db
      .selectFrom('audit_log')
      .select('operation_type')
      .where('module', '=', 'backfill')
      .orderBy('id')
      .execute();
    expect(noted.map(row => row.operation_type)).toEqual([
      'import-legacy',
      'import-legacy-ended',
      'import-legacy-ended',
    ]);
    await app.drain();
    await checkEverything(app);
  });

  test('an invalid line is reported with its number and reason; the others are imported', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const ada = await app.person('ada');
    const [record] = await makeLegacy(app, 'ada', sound);
    if (record === undefined) throw new Error('there is no record');
    const { line } = record;
    const upload = await storeProxied(ada, Buffer.from('of today'));
    const wrong: readonly (readonly [text: string, sentence: RegExp])[] = [
      ['{', /JSON|character/],
      [JSON.stringify({ ...line, size: 1 }), /^the record: unknown fields size$/],
      [JSON.stringify({ ...line, fileHash: undefined }), /^fileHash is missing$/],
      [JSON.stringify({ ...line, owner: 7 }), /^owner: must be a string$/],
      ['7', /^the record: must be an object$/],
      [JSON.stringify({ ...line, fileHash: 'abc' }), /^fileHash: must be 64/],
      [JSON.stringify({ ...line, fileSize: 0 }), /^fileSize: /],
      [JSON.stringify({ ...line, owner: 'nobody' }), /^there is no account "nobody"$/],
      [JSON.stringify({ ...line, fileHash: upload.fileHash }), /^there is another record/],
      [JSON.stringify({ ...line, fileName: 'a/b' }), /^fileName: /],
      ...['../x', '/x', 'ledger/x', 'tenant-999/x'].map(
        storagePath =>
          [
            JSON.stringify({ ...line, chunks: [{ ...line.chunks[0], storagePath }] }),
            /^(chunks\[0\]\.storagePath: must be|(ledger|tenant-999)\/x is a path that this server uses)/,
          ] as const,
      ),
      ['x'.repeat(8 * 1024 * 1024 + 1), /^is longer than/],
    ];
    const text = [...wrong.map(([one]) => one), JSON.stringify(line), JSON.stringify({ ...line, fileName: 'b' })];
    const { told, ...summary } = await importText(app, text.join('\n'));
    expect(summary).toEqual({ lines: text.length, imported: 1, known: 0, refused: wrong.length + 1 });
    const sentences = new Map(told.map(one => [one.line, one.sentence]));
    for (const [index, [, sentence]] of wrong.entries()) expect(sentences.get(index + 1)).toMatch(sentence);
    expect(sentences.get(text.length)).toMatch(/^there is another record/);
  });

  test('concurrent imports of one file import every record once', async () => {
    await using app = await start();
    const ada = await app.person('ada');
    const text = toLines(await makeLegacy(app, 'ada', 30));
    const sums = await Promise.all([importText(app, text), importText(app, text), importText(app, text)]);
    expect(sums.reduce((sum, { imported }) => sum + imported, 0)).toBe(30);
    expect(sums.reduce((sum, { known }) => sum + known, 0)).toBe(60);
    expect((await ada.call(api.listFiles, { query: { size: '1' } })).total).toBe(30);
  });

  test('lines that do not fit into the quota are reported, and none of them is imported', async () => {
    await using app = await start({ env: { QUOTA_MODE: 'ENFORCE', QUOTA_USER_FILES: '3' } });
    const ada = await app.person('ada');
    const text = toLines(await makeLegacy(app, 'ada', 5));
    await expect(importText(app, text)).rejects.toThrow(/^lines 1 to 5 do not fit into the quota/);
    expect((await ada.call(api.listFiles, { query: {} })).total).toBe(0);
  });
});
