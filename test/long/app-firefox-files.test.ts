// Journeys of files in Firefox by pointer: folders, the trash, names that are taken, search, and a selection as one ZIP.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { type Firefox, firefoxPath, launchFirefox, noFirefox } from '../support/firefox.ts';
import { button, dialog, openApp, panel, row, tray } from '../support/firefox-app.ts';
import { laptop } from '../support/real-proofs.ts';
import { sendFile } from '../support/uploads.ts';

describe.skipIf(firefoxPath === undefined)(firefoxPath ? 'files in Firefox' : noFirefox, () => {
  let firefox: Firefox;
  let app: TestApp;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recordproof-firefox-files-'));
    app = await startApp({ env: laptop });
    firefox = await launchFirefox();
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await app?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function write(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  }

  const listPaths = async (person: Person) =>
    (await person.call(listFiles, {})).records.map(({ path, fileName }) => `${path ?? ''}/${fileName}`).sort();

  const select = (name: string) => ({ label: `Select ${name}` });
  const folderLink = (name: string) => ({ role: 'link', name });

  test('a folder is created and renamed, and files move into it by drag and by dialog', async () => {
    const fritz = await app.person('fritz');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await sendFile(fritz, Buffer.from(name), name);
    const page = await openApp(firefox, app.app.url, 'fritz');
    await page.find(row('a.txt'));
    await page.press(button('New folder'));
    await page.fill({ label: 'Name', within: dialog }, 'letters');
    await page.press(button('Create', dialog));
    await page.drag(row('c.txt'), folderLink('letters, 0 files'));
    await page.find(folderLink('letters, 1 file'));
    await page.expectCount(row('c.txt'), 0);
    await page.press(row('a.txt'));
    await page.press(button('Rename', panel));
    await page.fill({ label: 'Name', within: dialog }, 'first.txt');
    await page.keys('Enter');
    await page.find(row('first.txt'));
    await page.press(select('b.txt'));
    await page.press(select('first.txt'));
    await page.expectText('2 selected');
    await page.press(button('Move', '.chosen'));
    await page.press(button('letters', dialog));
    await page.press(button('Move to letters', dialog));
    await page.press(folderLink('letters, 3 files'));
    await page.find(row('first.txt'));
    await page.press(button('Rename'));
    await page.fill({ label: 'Name', within: dialog }, 'post');
    await page.keys('Enter');
    await page.find({ css: 'nav[aria-label="Folders here"] a', text: 'post' });
    expect(await listPaths(fritz)).toEqual(['post/b.txt', 'post/c.txt', 'post/first.txt']);
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('a deleted file comes back with Undo, and from the trash until that is emptied', async () => {
    const tara = await app.person('tara');
    for (const name of ['a.txt', 'b.txt']) await sendFile(tara, Buffer.from(name), name);
    const page = await openApp(firefox, app.app.url, 'tara');
    const deleteSelected = async () => {
      await page.press(button('Delete'));
      await page.press(button('Delete', dialog));
    };
    await page.find(row('b.txt'));
    await page.press(select('a.txt'));
    await deleteSelected();
    await page.expectText('1 file moved to the trash.');
    await page.press(button('Undo'));
    await page.find(row('a.txt'));
    expect(await listPaths(tara)).toEqual(['/a.txt', '/b.txt']);
    await page.press({ label: 'Select all' });
    await page.expectText('2 selected');
    await deleteSelected();
    await page.expectText('2 files moved to the trash.');
    await page.press({ role: 'link', name: 'Trash' });
    await page.expectText('can be restored until');
    await page.press(button('Restore: b.txt'));
    await expect.poll(() => listPaths(tara)).toEqual(['/b.txt']);
    await page.expectNoText('b.txt');
    await page.press(button('Empty the trash'));
    await page.press(button('Empty the trash', dialog));
    await page.expectText('The trash is empty');
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('an upload whose name is taken becomes a new version, is kept beside it or skipped', async () => {
    const nina = await app.person('nina');
    const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
    for (const name of names) await sendFile(nina, Buffer.from(`old ${name}`), name);
    const page = await openApp(firefox, app.app.url, 'nina');
    await page.find(row('d.txt'));
    await mkdir(join(folder, 'new'));
    const files = await Promise.all(names.map(name => write(join('new', name), `new ${name}`)));
    await page.choose('input[aria-label="Upload files"]', files);
    await page.expectText('a.txt is there already');
    await page.press(button('New version', dialog));
    await page.expectText('b.txt is there already');
    await page.press(button('Keep both', dialog));
    await page.press({ label: 'Do the same for 1 other file', within: dialog });
    await page.press(button('Skip', dialog));
    await page.find(row('b (2).txt'));
    const { records } = await nina.call(listFiles, { query: { sort: 'fileName,asc' } });
    expect(records.map(({ fileName, version }) => `${fileName} ${version}`)).toEqual([
      ...['a.txt 2', 'b (2).txt 1', 'b.txt 1', 'c.txt 1', 'd.txt 1'],
    ]);
    await page.press(row('a.txt'));
    await page.press(button('Compare with the newest: Version 1', panel));
    await page.expectText('old a.txt');
    await page.expectText('new a.txt');
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('a search and the open file are in the address, and filters are kept after a reload', async () => {
    const sam = await app.person('sam');
    for (const name of ['plan.txt', 'report.txt']) await sendFile(sam, Buffer.from(name), name);
    const page = await openApp(firefox, app.app.url, 'sam');
    await page.find(row('plan.txt'));
    await page.fill({ label: 'Search files' }, 'plan');
    await page.expectCount(row('report.txt'), 0);
    await page.press(row('plan.txt'));
    await page.find({ css: 'aside h2', text: 'plan.txt' });
    await page.reload();
    await page.find({ css: 'aside h2', text: 'plan.txt' });
    expect(await page.evaluate('document.querySelector("input[type=search]").value')).toBe('plan');
    await page.goBack();
    await page.expectCount({ css: 'aside' }, 0);
    await page.find(row('plan.txt'));
    await page.fill({ label: 'Search files' }, 'nowhere');
    await page.expectText('No file has a name or a hash that matches “nowhere”.');
    await page.keys('Control+a', 'Delete');
    await page.find(row('report.txt'));
    await page.press(button('Filters'));
    await page.select({ label: 'Type' }, 'Images');
    await page.expectText('No file matches these filters.');
    await page.reload();
    await page.expectText('No file matches these filters.');
    expect(page.complaints).toEqual([]);
    await page.close();
  });

  test('files of two folders are saved as one ZIP with their proofs', async () => {
    const max = await app.person('max');
    await sendFile(max, Buffer.from('one'), 'same.txt', { path: 'a' });
    await sendFile(max, Buffer.from('two'), 'same.txt', { path: 'b' });
    await app.drain();
    const page = await openApp(firefox, app.app.url, 'max');
    await page.find(folderLink('b, 1 file'));
    await page.fill({ label: 'Search files' }, 'same');
    await page.expectCount(row('same.txt'), 2);
    await page.press({ label: 'Select all' });
    await page.expectText('2 selected');
    const { name, path } = await page.download(() => page.press(button('Download ZIP')));
    expect(name).toMatch(/\.zip$/);
    const listed = execFileSync('python3', ['-m', 'zipfile', '-l', path], { encoding: 'utf8' });
    const names = listed.split('\n').slice(1, -1);
    expect(names.map(line => line.split(' ')[0])).toEqual([
      ...['a/same.txt', 'b/same.txt', 'proofs/a/same.txt.proof.zip', 'proofs/b/same.txt.proof.zip'],
    ]);
    await page.find({ css: tray, text: 'Done' });
    expect(page.complaints).toEqual([]);
    await page.close();
  });
});
