// Verification of a folder: changed, missing and added files, with and without its list.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FolderEntry, writeFolderList } from '@recordproof/shared/evidence/folder-list.ts';
import { proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import { hashFolder } from '@recordproof/shared/node/hash-folder.ts';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { cosign, makeProof, makeTree, policyText, signTree, toProof } from '../../../test/support/existence-world.ts';
import { trustedKeyPath } from '../../../test/support/large-proof.ts';
import { proofOf } from '../../../test/support/proofs.ts';
import { writeZip } from '../../../test/support/zip.ts';
import { main } from '../cli.ts';

const root = mkdtempSync(join(tmpdir(), 'verify-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

const folder = join(root, 'data');
const list = `${folder}.folder.json`;
const archive = `${list}.proof.zip`;

async function seal(): Promise<Buffer> {
  const entries = (async function* (): AsyncGenerator<readonly FolderEntry[]> {
    for await (const some of hashFolder(folder)) yield some.flatMap(file => (file.kind === 'hashed' ? file : []));
  })();
  return Buffer.concat(await Array.fromAsync(writeFolderList(entries)));
}

async function prove(content: Buffer): Promise<void> {
  const proof = await proofOf({ content, chunkSize: content.length });
  writeFileSync(list, content);
  writeFileSync(archive, writeZip(proofEntryNames.map(name => ({ name, data: proof[name] }))));
}

beforeEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(folder, 'a'), 'a');
  writeFileSync(join(folder, 'b'), 'b');
  writeFileSync(join(folder, 'sub', 'c'), 'c');
  await prove(await seal());
});

async function run(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const code = await main([...args, '--trusted-key', trustedKeyPath], {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
  });
  return { code, ...written };
}

async function report(...args: string[]) {
  const { code, stdout } = await run(...args, '--format', 'json');
  const { proof, compared, files, ...rest } = JSON.parse(stdout);
  return { code, ...rest, proof: proof.outcome, files, compared: compared.map(Object.values).map(String) };
}

const none = { changed: 0, missing: 0, added: 0, unreadable: 0, leftOut: 0 };
const offline = { code: 3, outcome: 'INDETERMINATE', reason: 'OFFLINE' };

test('an unchanged folder has the verdict of its proof', async () => {
  const expected = { ...offline, list: 'FILE', files: { ...none, same: 3 }, compared: [] };
  expect(await report(folder)).toMatchObject(expected);
  expect(await report(`${folder}/`)).toMatchObject(expected);
  expect(await report('--folder', folder, '--proof', archive)).toMatchObject(expected);
  expect((await report(folder, '--all')).compared).toEqual(['a,same', 'b,same', 'sub/c,same']);
});

test('the report states since when the list existed, with and without the list file', async () => {
  const sealed = await seal();
  const proof = await makeProof({ content: sealed, chunkSize: sealed.length });
  const tree = makeTree(proof.issuedEntry);
  const policy = join(root, 'policy');
  writeFileSync(policy, policyText());
  writeFileSync(archive, proof.archive);
  expect((await run(folder)).stdout).not.toContain('When the list');
  expect((await run(folder, '--policy', policy)).stdout).toContain('[TLOG_PROOF_ABSENT]');
  writeFileSync(`${list}.tlog-proof`, toProof(tree, proof.issuedEntry, await cosign(await signTree(tree))));
  for (const isThere of [true, false]) {
    if (!isThere) rmSync(list);
    const { code, stdout } = await run(folder, '--policy', policy);
    expect([code, stdout]).toEqual([
      3,
      expect.stringContaining('EXISTED: these bytes existed no later than 2026-09-21'),
    ]);
    expect(await report(folder, '--policy', policy)).toMatchObject({
      list: isThere ? 'FILE' : 'TREE',
      existence: { outcome: 'EXISTED' },
    });
  }
  rmSync(`${list}.tlog-proof`);
});

test('changed, missing and added files are listed, and make the folder INVALID', async () => {
  writeFileSync(join(folder, 'a'), 'A');
  renameSync(join(folder, 'b'), join(folder, 'sub', 'b'));
  expect(await report(folder)).toMatchObject({
    code: 2,
    outcome: 'INVALID',
    reason: 'FOLDER_CHANGED',
    proof: 'INDETERMINATE',
    files: { ...none, same: 1, changed: 1, missing: 1, added: 1 },
    compared: ['a,changed', 'b,missing', 'sub/b,added'],
  });
  const { code, stdout } = await run(folder);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^changed {5}a\nmissing {5}b\nadded {7}sub\/b\n\nRecordProof/);
  expect(stdout).toContain('Files: 1 same, 1 changed, 1 missing, 1 added');
  expect(stdout).toContain('Result: INVALID\n        The folder is not the one that was sealed.');
});

test('a file name that a list cannot contain is reported as added', async () => {
  writeFileSync(join(folder, 'two\nlines'), '');
  expect(await report(folder)).toMatchObject({ code: 2, compared: ['two\nlines,added'] });
  expect((await run(folder)).stdout).toContain('added       two\ufffdlines\n');
});

test('a file that cannot be read completely is an ERROR', async () => {
  writeFileSync(join(folder, 'a'), 'A');
  const entry = { path: 'uuid', size: 0, sha256: `sha256:${'0'.repeat(64)}` };
  const content = Buffer.concat(
    await Array.fromAsync(
      writeFolderList(
        (async function* () {
          yield [entry];
        })(),
      ),
    ),
  );
  await prove(content);
  const { code, reason, compared } = await report('--folder', '/proc/sys/kernel/random', '--proof', archive);
  expect([code, reason]).toEqual([4, 'FOLDER_UNREADABLE']);
  expect(compared).toContain('uuid,unreadable');
});

test('without its list a folder is compared as a whole', async () => {
  rmSync(list);
  expect(await report(folder)).toMatchObject({ ...offline, list: 'TREE', files: { ...none, same: 3 } });
  writeFileSync(join(folder, 'two\nlines'), '');
  expect(await report(folder)).toMatchObject({ code: 2, reason: 'FOLDER_CHANGED', compared: ['two\nlines,added'] });
  rmSync(join(folder, 'two\nlines'));
  writeFileSync(join(folder, 'd'), 'd');
  expect(await report(folder)).toMatchObject({ code: 2, reason: 'CONTENT_HASH_MISMATCH', list: 'TREE', compared: [] });
  expect((await run(folder)).stdout).toContain('put it beside its archive');
  for (const name of ['a', 'b', 'sub', 'd']) rmSync(join(folder, name), { recursive: true });
  expect(await report(folder)).toMatchObject({ code: 2, reason: 'CONTENT_HASH_MISMATCH', list: 'TREE', compared: [] });
});

test('files are not compared with a list that does not match the proof', async () => {
  writeFileSync(list, readFileSync(list, 'utf8').replace('"a"', '"A"'));
  const found = await report(folder);
  expect(found).toMatchObject({ code: 2, reason: 'CONTENT_HASH_MISMATCH', list: 'FILE', compared: [] });
  expect(found.files).toBe(undefined);
});

test('a proof of another file is rejected as a list', async () => {
  await prove(Buffer.from('{"files":[],"schema":"recordproof.folder.v1"}'));
  expect(await report(folder)).toMatchObject({ code: 4, outcome: 'ERROR', reason: 'LIST_MALFORMED' });
  expect((await run(folder)).stdout).toContain('The list of the folder could not be read.');
});

test('the list is found by the name of the archive', async () => {
  const [otherList, otherArchive] = [join(root, 'old list'), join(root, 'old list.proof.zip')];
  copyFileSync(list, otherList);
  copyFileSync(archive, otherArchive);
  await prove(Buffer.from('something else'));
  expect(await report('--folder', folder, '--proof', otherArchive)).toMatchObject({ ...offline, list: 'FILE' });
});

test('wrong usage is reported with a sentence', async () => {
  for (const [args, sentence] of [
    [['--folder', join(root, 'nowhere'), '--proof', archive], 'there is no folder'],
    [['--folder', folder, '--file', list], 'give either a file or --folder'],
    [['--folder', root], 'to be found; name the archive with --proof'],
    [['certificate', '--folder', folder, '--out', 'x'], 'an option that is not known'],
  ] as const)
    expect(await run(...args)).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining(sentence) });
});
