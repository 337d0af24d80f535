// @module-tag long-on-postgres
// Key rotation over failing key services: retries with their pauses, permanent failures, and altered envelopes.
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import {
  beginRotation,
  download,
  listEnvelopes,
  listItems,
  openVaultWorld,
  readRotation,
  vaultToken,
} from '../../../../test/support/rotations.ts';
import { type InjectedFailure, startTransitDouble } from '../../../../test/support/transit-double.ts';

async function startVault() {
  const vault = await startTransitDouble(vaultToken);
  vault.addKey('files');
  return vault;
}

const reject = (status: number, ...errors: string[]): InjectedFailure => ({ kind: 'refuse', status, errors });
const listVersions = async (app: TestApp) =>
  (await listEnvelopes(app)).map(row => `${row.status} ${row.provider_key_version}`);

/** Between the end of a try and the time before which there is no other. */
const readPauses = async ({ app }: TestApp) => {
  const rows = await app.database.db.selectFrom('key_rotation_item').selectAll().orderBy('id').execute();
  return rows.map(row => (row.due_at - row.updated_at) / 1000);
};

eachApp(start => {
  const passing = [
    ['THROTTLED', reject(429, 'a word of the service'), [7, 14, 20]],
    ['UNAVAILABLE', reject(503, 'a word of the service'), [7, 14, 20]],
    ['UNAVAILABLE', { kind: 'hang-up' } as InjectedFailure, [7, 14, 20]],
    ['TIMEOUT', { kind: 'silence' } as InjectedFailure, [7]],
  ] as const;
  test.each(passing)('%s (%o) is retried after %o s, and then succeeds', async (category, trouble, pauses) => {
    await using vault = await startVault();
    const policy = { maxAttempts: 4, initialBackoffSeconds: 7, maxBackoffSeconds: 20 };
    const env = { RECORDPROOF_VAULT_TIMEOUT_MS: category === 'TIMEOUT' ? '1500' : '20000' };
    await using world = await openVaultWorld(start, vault, { policy, env });
    const { app, ada, root, stored } = world;
    vault.troubles.set('encrypt', { trouble, times: pauses.length });
    const run = await beginRotation(root, 'APPLY');
    await app.drain();
    for (const [index, seconds] of pauses.entries()) {
      const [item] = await listItems(root, run);
      expect(item).toMatchObject({ status: 'PENDING', failureCategory: category, attempts: index + 1, outcome: null });
      expect(await readPauses(app)).toEqual([seconds]);
      app.clock.advance(seconds * 1000 - 500);
      await app.drain();
      expect((await listItems(root, run))[0]?.attempts).toBe(index + 1);
      app.clock.advance(500);
      await app.drain();
    }
    expect(await readRotation(root, run)).toMatchObject({ status: 'COMPLETED', succeededCount: 1, failedCount: 0 });
    expect(await listVersions(app)).toEqual(['SUPERSEDED 1', 'ACTIVE 2']);
    expect(JSON.stringify(await listItems(root, run))).not.toContain('word');
    for (const [fileHash, bytes] of stored) expect((await download(ada, fileHash)).equals(bytes)).toBe(true);
  });

  test('an item fails after its maximum number of attempts, and can be retried by request', async () => {
    await using vault = await startVault();
    await using world = await openVaultWorld(start, vault, { policy: { maxAttempts: 2 } });
    const { app, root } = world;
    vault.troubles.set('encrypt', { trouble: reject(429), times: 2 });
    const run = await beginRotation(root, 'APPLY');
    await app.drain();
    app.clock.advance(5000);
    await app.drain();
    const failed = { status: 'COMPLETED_WITH_FAILURES', failedCount: 1, retryableCount: 1 };
    expect(await readRotation(root, run)).toMatchObject(failed);
    expect((await listItems(root, run))[0]).toMatchObject({
      status: 'FAILED',
      failureCategory: 'THROTTLED',
      attempts: 2,
    });
    expect(await listVersions(app)).toEqual(['ACTIVE 1']);
    await root.call(api.retryKeyRotation, { params: { runId: run.runId } });
    app.clock.advance(5000);
    await app.drain();
    expect(await readRotation(root, run)).toMatchObject({ status: 'COMPLETED', succeededCount: 1, failedCount: 0 });
  });

  const hopeless = [
    ['PERMISSION_DENIED', reject(403, 'permission denied')],
    ['KEY_NOT_FOUND', reject(404)],
    ['INVALID_CIPHERTEXT', reject(400, 'cipher: message authentication failed')],
    ['KEY_DISABLED', reject(400, 'ciphertext or signature version is disallowed by policy (too old)')],
    ['CONFIGURATION', reject(405)],
    ['INVALID_RESPONSE', { kind: 'answer', text: 'a surprise' } as InjectedFailure],
  ] as const;
  test.each(hopeless)('%s is not retried, and the old envelope is kept', async (category, trouble) => {
    await using vault = await startVault();
    await using world = await openVaultWorld(start, vault);
    const { app, root } = world;
    vault.troubles.set('decrypt', { trouble, times: 100 });
    const run = await beginRotation(root, 'APPLY');
    await app.drain();
    const done = await readRotation(root, run);
    expect(done).toMatchObject({ status: 'COMPLETED_WITH_FAILURES', failedCount: 1, retryableCount: 0 });
    expect((await listItems(root, run))[0]).toMatchObject({ failureCategory: category, attempts: 1 });
    expect(await listVersions(app)).toEqual(['ACTIVE 1']);
    const rejected = await root.expectError(api.retryKeyRotation, { params: { runId: run.runId } });
    expect(rejected.kind).toBe('RUN_STATE_CONFLICT');
  });

  test('an altered envelope is not modified, and the others are rotated', async () => {
    await using vault = await startVault();
    await using world = await openVaultWorld(start, vault, { files: 3 });
    const { app, root } = world;
    const { db } = app.app.database;
    const [, second, third] = await listEnvelopes(app);
    const swapped = { wrapped_key: third?.wrapped_key ?? Buffer.alloc(0) };
    await db
      .updateTable('envelope')
      .set(swapped)
      .where('id', '=', second?.id ?? 0)
      .execute();
    const run = await beginRotation(root, 'APPLY');
    await app.drain();
    expect(await readRotation(root, run)).toMatchObject({ succeededCount: 2, failedCount: 1, retryableCount: 0 });
    expect((await listItems(root, run)).map(item => item.failureCategory)).toEqual([null, 'INVALID_CIPHERTEXT', null]);
    const [altered] = (await listEnvelopes(app)).filter(row => row.id === second?.id);
    expect(altered).toEqual({ ...second, ...swapped });
  });

  test('a dry run does not call the key service, and changes neither envelopes nor the retirement state', async () => {
    await using vault = await startVault();
    await using world = await openVaultWorld(start, vault, { files: 2, policy: { gracePeriodSeconds: 0 } });
    const { app, root } = world;
    await beginRotation(root, 'APPLY');
    await app.drain();
    const before = await root.call(api.getKeyRotationPolicy);
    expect(before.retirement.state).toBe('READY');
    const envelopes = await listEnvelopes(app);
    const calls = vault.calls.length;
    const run = await beginRotation(root, 'DRY_RUN');
    await app.drain();
    expect(await readRotation(root, run)).toMatchObject({ status: 'COMPLETED', totalCount: 2, skippedCount: 2 });
    expect(vault.calls).toHaveLength(calls);
    expect(await listEnvelopes(app)).toEqual(envelopes);
    expect(await root.call(api.getKeyRotationPolicy)).toEqual(before);
  });
});
