// Vouchers in a watched folder, with a real server and a real witness: they are written as the flags say, are renamed
// with their version, and are never stored themselves.
import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { expect, test } from 'vitest';
import { startWitnessedApp } from '../../../test/support/witnessed-app.ts';
import { openHome } from '../testing.ts';

async function openFixture() {
  await using stack = new AsyncDisposableStack();
  const { app } = stack.use(await startWitnessedApp());
  const home = stack.use(await openHome());
  const ada = await app.person('ada');
  const folder = join(home.path, 'docs');
  await mkdir(folder);
  const env = { RECORDPROOF_SERVER: app.app.url, RECORDPROOF_TOKEN: ada.token ?? '' };
  const parts = stack.move();
  return {
    folder,
    /** Waits until every file is proven. */
    async watch(...flags: string[]) {
      const running = home.runHere(['watch', folder, '--once', '--rest', '0', '--every', '1', ...flags], { env });
      let isOver = false;
      const over = running.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await app.drain();
        await setImmediate();
      }
      const { code, stderr } = await over;
      expect([code, stderr]).toEqual([0, expect.stringContaining('the log is')]);
    },
    names: async () => (await readdir(folder)).sort(),
    stored: async () => (await ada.call(listFiles, {})).records.map(({ fileName, version }) => [fileName, version]),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

test('vouchers are written beside the archive of their version, and are not stored', { tags: 'long' }, async () => {
  await using fixture = await openFixture();
  const file = join(fixture.folder, 'a.txt');
  await writeFile(file, 'the first draft');
  await fixture.watch('--wait-vouched');
  expect(await fixture.names()).toEqual(['a.txt', 'a.txt.proof.zip', 'a.txt.tlog-proof']);
  const first = await readFile(`${file}.tlog-proof`, 'utf8');
  await writeFile(file, 'the second draft');
  await fixture.watch('--wait-vouched');
  const older = ['a.txt.v1.proof.zip', 'a.txt.v1.tlog-proof'];
  expect(await fixture.names()).toEqual(['a.txt', 'a.txt.proof.zip', 'a.txt.tlog-proof', ...older]);
  expect(await readFile(join(fixture.folder, 'a.txt.v1.tlog-proof'), 'utf8')).toBe(first);
  expect(await readFile(`${file}.tlog-proof`, 'utf8')).not.toBe(first);
  await fixture.watch('--wait-vouched');
  expect(await fixture.stored()).toEqual([['a.txt', 2]]);
});

test('a run that was killed before the vouchers of the older version were moved aside is completed', {
  tags: 'long',
}, async () => {
  await using fixture = await openFixture();
  const file = join(fixture.folder, 'a.txt');
  await writeFile(file, 'the first draft');
  await fixture.watch('--wait-vouched');
  const first = await readFile(`${file}.tlog-proof`, 'utf8');
  await link(`${file}.proof.zip`, `${file}.v1.proof.zip`);
  await writeFile(file, 'the second draft');
  await fixture.watch('--wait-vouched');
  expect(await readFile(`${file}.v1.tlog-proof`, 'utf8')).toBe(first);
  expect(await readFile(`${file}.tlog-proof`, 'utf8')).not.toBe(first);
});

test('with --one-file all evidence is in one file, which is not stored either', { tags: 'long' }, async () => {
  await using fixture = await openFixture();
  await writeFile(join(fixture.folder, 'b.txt'), 'a plan');
  await fixture.watch('--wait-vouched', '--one-file');
  await fixture.watch('--wait-vouched', '--one-file');
  expect(await fixture.names()).toEqual(['b.txt', 'b.txt.evidence.zip']);
  const evidence = readEvidenceArchive(await readFile(join(fixture.folder, 'b.txt.evidence.zip')));
  expect(evidence.tlogProof).toBeDefined();
  expect(await fixture.stored()).toEqual([['b.txt', 1]]);
});
