// XLSX writer for exports: parts of the workbook, cell types, and failure of the row source.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { testWith } from '../../../../test/support/programs.ts';
import { readParts } from '../../../../test/support/spreadsheets.ts';
import { type Cell, writeXlsx } from './xlsx.ts';

const write = (rows: readonly (readonly Cell[])[]): Promise<Buffer> => {
  async function* pages() {
    yield rows;
  }
  return buffer(writeXlsx({ name: 'audit', heading: ['a', 'b'], pages: pages(), madeAt: new Date(0) }));
};

test.each([
  ['=cmd()', "'=cmd()"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['\t=1', "'\t=1"],
  ['  =1', "'  =1"],
  ['\uff1d1', "'\uff1d1"],
  ['a=b', 'a=b'],
  ['_x003D_cmd()', '_x005F_x003D_cmd()'],
  ['_x003d_x0041_', '_x005F_x003d_x005F_x0041_'],
])('the cell text %j is written as %j', async (given, shown) => {
  const sheet = readParts(await write([[given]])).get('xl/worksheets/sheet1.xml');
  expect(sheet).toContain(`<t xml:space="preserve">${shown}</t>`);
});

test('a workbook has all its parts, and its cells are only texts and numbers', async () => {
  const parts = readParts(
    await write([
      ['=cmd()', 7],
      ['<&">', null],
      ['a\u0000\ud83db\n中🦀', 1],
    ]),
  );
  expect([...parts.keys()].sort()).toEqual([
    '[Content_Types].xml',
    '_rels/.rels',
    'xl/_rels/workbook.xml.rels',
    'xl/workbook.xml',
    'xl/worksheets/sheet1.xml',
  ]);
  const sheet = parts.get('xl/worksheets/sheet1.xml') ?? '';
  const toText = (text: string) => `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
  expect(sheet).not.toContain('<f>');
  expect(sheet).toContain(`<row>${toText("'=cmd()")}<c><v>7</v></c></row>`);
  expect(sheet).toContain(`<row>${toText('&lt;&amp;&quot;&gt;')}<c/></row>`);
  expect(sheet).toContain(toText('a\ufffd\ufffdb\n中🦀'));
});

test('a failing source of rows fails the workbook', async () => {
  async function* failing(): AsyncGenerator<readonly (readonly Cell[])[]> {
    yield [['a', 1]];
    throw new Error('no more rows');
  }
  const book = writeXlsx({ name: 'audit', heading: [], pages: failing(), madeAt: new Date(0) });
  await expect(buffer(book)).rejects.toThrow('no more rows');
});

testWith('soffice')(
  'LibreOffice opens a workbook and evaluates no formula',
  { tags: 'long', timeout: 180_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-xlsx-'));
    await writeFile(
      join(folder, 'book.xlsx'),
      await write([
        ['=1+1', 7],
        ['中🦀', 8],
      ]),
    );
    const home = `-env:UserInstallation=file://${folder}/home`;
    execFileSync(
      'soffice',
      [
        home,
        '--headless',
        '--convert-to',
        'csv:Text - txt - csv (StarCalc):44,34,76',
        '--outdir',
        folder,
        join(folder, 'book.xlsx'),
      ],
      { stdio: 'ignore' },
    );
    expect(await readFile(join(folder, 'book.csv'), 'utf8')).toBe("a,b\n'=1+1,7\n中🦀,8\n");
    await rm(folder, { recursive: true });
  },
);
