// @module-tag long-on-postgres
// A share of files that come from folders: page and ZIP keep them apart by where they lay.
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';
import { share } from '../../../../test/support/shares.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

/** From the directory that the end of the ZIP names: proofs in it are archives, too. */
function readNames(zip: Buffer): string[] {
  const names: string[] = [];
  const end = zip.length - 22;
  for (let at = zip.readUInt32LE(end + 16); at < end; ) {
    const [name, extra, comment] = [28, 30, 32].map(offset => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    names.push(zip.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}

async function listPacked(app: TestApp, shareCode: string): Promise<string[]> {
  const whole = await app.anonymous.fetch(`/s/${shareCode}/all.zip`);
  const zip = Buffer.from(await whole.arrayBuffer());
  expect(zip.length).toBe(Number(whole.headers.get('content-length')));
  return readNames(zip);
}

test('files of one name are packed in their folders, and no path leaves the ZIP', async () => {
  await using app = await startApp();
  const alice = await app.person('alice');
  const wanted: [path: string | undefined, name: string, inZip: string][] = [
    ['letters/2026', 'a.txt', 'letters/2026/a.txt'],
    ['letters', 'a.txt', 'letters/a.txt'],
    [undefined, 'a.txt', 'a.txt'],
    ['Letters', 'A.txt', 'Letters/A (2).txt'],
    ['letters', '2026', 'letters/2026 (2)'],
    [undefined, 'letters', 'letters (2)'],
    ['C:/..\\..', 'b.txt', 'C_/.._../b.txt'],
  ];
  const hashes: string[] = [];
  for (const [at, [path, name]] of wanted.entries()) {
    const fields = path === undefined ? {} : { path };
    const { status, data } = await sendFile(alice, await pattern(100, at), name, fields);
    expect(status).toBe(200);
    hashes.push(data.fileHash);
  }
  const { shareCode } = await share(alice, hashes);
  const page = await (await app.anonymous.fetch(`/s/${shareCode}`, { headers: { accept: 'text/html' } })).text();
  for (const [path, name] of wanted)
    expect(page).toContain(`<strong dir="auto">${path === undefined ? name : `${path}/${name}`}</strong>`);
  expect(page, 'each is saved under its name alone').toContain('data-name="2026"');
  const chinese = { accept: 'text/html', 'accept-language': 'zh-CN' };
  expect(await (await app.anonymous.fetch(`/s/${shareCode}`, { headers: chinese })).text()).toContain('100 B');
  expect(await listPacked(app, shareCode)).toEqual(wanted.map(([, , inZip]) => inZip));
});

test('names in the ZIP contain no bidirectional controls and no leading hyphens', async () => {
  await using app = await startApp();
  const alice = await app.person('alice');
  const wanted: [path: string | undefined, name: string, inZip: string][] = [
    [undefined, 'photo\u202egpj.exe', 'photo_gpj.exe'],
    [undefined, '-rf', '_rf'],
    [undefined, '_rf', '_rf (2)'],
    ['-x/\u2066y\u2069', '--force.txt', '_x/_y_/_-force.txt'],
  ];
  const hashes: string[] = [];
  for (const [at, [path, name]] of wanted.entries())
    hashes.push(
      (await sendFile(alice, await pattern(100, at), name, path === undefined ? {} : { path })).data.fileHash,
    );
  const { shareCode } = await share(alice, hashes);
  expect(await listPacked(app, shareCode)).toEqual(wanted.map(([, , inZip]) => inZip));
});

test('the ZIP of a share contains the issued proofs if requested', async () => {
  await using app = await startApp({ env: laptop });
  const alice = await app.person('alice');
  const first = (await sendFile(alice, await pattern(100, 1), 'a.txt', { path: 'in' })).data.fileHash;
  await app.drain();
  const second = (await sendFile(alice, await pattern(100, 2), 'photo\u202egpj.exe')).data.fileHash;
  const { shareCode } = await share(alice, [first, second]);
  const whole = await app.anonymous.fetch(`/s/${shareCode}/all.zip?proofs=true`);
  const names = readNames(Buffer.from(await whole.arrayBuffer()));
  expect(names).toEqual(['in/a.txt', 'photo_gpj.exe', 'proofs/in/a.txt.proof.zip']);
});
