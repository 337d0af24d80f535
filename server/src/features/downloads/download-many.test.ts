// @module-tag long-on-postgres
// Downloads of many files or proof archives in one call: order, missing entries and size limits.
import { type BulkAnswer, readFrames } from '@recordproof/shared/api/bulk-answers.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/files.ts';
import { exportProofs } from '@recordproof/shared/api/proofs.ts';
import { expect, test } from 'vitest';
import type { Person } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { exportProof, laptop } from '../../../../test/support/real-proofs.ts';
import { completeDirect, sendDirect, sendMany } from '../../../../test/support/uploads.ts';

const MiB = 2 ** 20;
/** Files wait for others until the clock is moved, so that one comes before the proofs however long the calls take. */
const waiting = {
  ...laptop,
  ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '100',
  ATTESTATION_PRODUCTION_MAX_WAIT_SECONDS: '300',
};
const unknownHash = '0'.repeat(64);

const kindsOf = (answers: readonly BulkAnswer[]) =>
  answers.map(answer => (answer instanceof ApiError ? answer.kind : answer.length));

async function ask(person: Person, endpoint: AnyEndpoint, body: unknown): Promise<BulkAnswer[]> {
  const headers = { 'content-type': 'application/json' };
  const response = await person.fetch(endpoint.path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`answered with ${response.status}`);
  return Array.fromAsync(readFrames(response.body ?? new ReadableStream(), 16 * MiB));
}

const download = (person: Person, fileHashes: string[]) => ask(person, api.downloadMany, { fileHashes });

async function storeSome(person: Person, count: number, seed: number) {
  const contents = await Promise.all(Array.from({ length: count }, (_, index) => pattern(100 + index, seed + index)));
  const { data } = await sendMany(
    person,
    contents.map(bytes => ({ bytes })),
  );
  const stored = data.results.flatMap(result => (result.status === 'STORED' ? [result] : []));
  expect(stored).toHaveLength(count);
  return { contents, stored };
}

eachApp(start => {
  test('many files are downloaded in one call, in order; inaccessible files are reported as missing', async () => {
    await using app = await start();
    const [alice, bob] = [await app.person('alice'), await app.person('bob')];
    const { contents, stored } = await storeSome(alice, 20, 1);
    const hashes = stored.map(({ fileHash }) => fileHash).reverse();
    const answers = await download(alice, hashes);
    expect(answers.map(answer => Buffer.from(answer as Uint8Array))).toEqual(contents.toReversed());
    expect(kindsOf(await download(alice, [hashes[0] ?? '', unknownHash, hashes[1] ?? '']))).toEqual([
      119,
      'FILE_NOT_EXIST',
      118,
    ]);
    const strange = await download(bob, [hashes[0] ?? '', unknownHash]);
    expect(kindsOf(strange)).toEqual(['FILE_NOT_EXIST', 'FILE_NOT_EXIST']);
    await alice.call(api.deleteFile, { params: { hash: hashes[0] ?? '' } });
    expect(kindsOf(await download(alice, [hashes[0] ?? '']))).toEqual(['FILE_NOT_EXIST']);
    await expect(download(alice, Array(501).fill(unknownHash))).rejects.toThrow('400');
    await expect(download(alice, [])).rejects.toThrow('400');
  });

  test('a file too large for the call is rejected alone, and too many bytes reject the whole call', async () => {
    await using app = await start();
    const alice = await app.person('alice');
    const { stored } = await storeSome(alice, 1, 50);
    const { clientId } = await sendDirect(alice, await pattern(9 * MiB, 60), { chunkSize: 9 * MiB });
    const large = await completeDirect(alice, clientId);
    const small = stored[0]?.fileHash ?? '';
    expect(kindsOf(await download(alice, [large.fileHash, small]))).toEqual(['FILE_MAX_SIZE_OVERFLOW', 100]);
    await expect(download(alice, Array(8).fill(large.fileHash))).rejects.toThrow('400');
  });

  test('many proof archives are returned in one call, and pending ones with the time to wait', async () => {
    await using app = await start({ env: waiting });
    const [alice, bob] = [await app.person('alice'), await app.person('bob')];
    const { stored } = await storeSome(alice, 3, 100);
    const ids = stored.map(({ fileId }) => fileId);
    const askAll = (person: Person) => ask(person, exportProofs, { ids });
    const early = await askAll(alice);
    expect(kindsOf(early)).toEqual(Array(3).fill('CONFLICT'));
    expect(early[0]).toMatchObject({ detail: { reason: 'BATCH_PENDING' }, retryAfterSeconds: expect.any(Number) });
    app.clock.advance(301_000);
    await app.drain();
    const archives = await askAll(alice);
    for (const [index, id] of ids.entries())
      expect(Buffer.from(archives[index] as Uint8Array).equals(await exportProof(alice, id))).toBe(true);
    expect(kindsOf(await askAll(bob))).toEqual(Array(3).fill('FILE_NOT_EXIST'));
    await checkEverything(app);
  });
});
