// Saved copies of received files: own record over shared objects, idempotency, revocation and quota.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { expect, test } from 'vitest';
import { pattern } from '../../../../test/support/bytes.ts';
import { type CopyWorld, giftCode, openCopyWorld } from '../../../../test/support/copy-world.ts';
import { eachDatabase } from '../../../../test/support/databases.ts';
import { wideQuota } from '../../../../test/support/file-world.ts';
import { migrations } from '../../compose/features.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { SagaStatus } from '../../platform/saga/migrations.ts';
import { sagaJobKey, sagaJobKind } from '../../platform/saga/saga.ts';
import { ChainError } from '../chain/index.ts';
import { revokeGift } from '../envelopes/index.ts';
import { type FileRow, findFile, holderOf } from '../files/index.ts';
import { findActiveManifest } from '../manifests/index.ts';
import { listHeld } from '../stored-objects/index.ts';

eachDatabase((engine, open) => {
  async function begin(plan: { sealed?: boolean } = { sealed: true }) {
    const made = await openCopyWorld(await open(migrations));
    const tenant = await made.world.tenant('one');
    const [alice, bob] = [await made.world.person(tenant, 'alice'), await made.world.person(tenant, 'bob')];
    const source = await made.world.store(alice, { bytes: await pattern(30_000), chunkSize: 8192, ...plan });
    if (plan.sealed) await made.give(source);
    return { made, alice, bob, source, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
  }

  const filesOf = (made: CopyWorld, owner: { userId: number }) =>
    made.world.db.selectFrom('file').selectAll().where('owner_id', '=', owner.userId).orderBy('id').execute();

  const rejectionOf = async (saving: Promise<unknown>): Promise<ApiError> => {
    const error = await saving.then(
      () => new Error('it was not refused'),
      (thrown: unknown) => thrown,
    );
    if (error instanceof ApiError) return error;
    throw error;
  };

  const heldBy = (made: CopyWorld, file: FileRow) =>
    listHeld(made.world.db, { tenantId: file.tenant_id, holder: holderOf(file) });

  test('a copy is a separate record over the same objects: id, ledger entry, manifest, key and chain', async () => {
    await using ground = await begin();
    const { made, alice, bob, source } = ground;
    const [copy] = await made.save(bob, source);
    if (!copy) throw new Error('nothing was saved');
    expect(copy).toMatchObject({
      tenant_id: source.tenant_id,
      owner_id: bob.userId,
      status: 1,
      content_hash: source.content_hash,
      file_nonce: source.file_nonce,
      version: 1,
      version_group_id: copy.id,
      is_latest: 1,
      origin_owner_id: alice.userId,
      shared_from_id: alice.userId,
      source_file_id: source.id,
      provenance_depth: 1,
    });
    expect(copy.file_hash).not.toBe(source.file_hash);
    const manifest = await findActiveManifest(made.world.db, copy.tenant_id, copy.id);
    expect(manifest).toMatchObject({ fileHash: copy.file_hash, manifestHash: copy.manifest_hash });
    expect(await made.records.findRecord(copy.file_hash)).toMatchObject({
      manifestHash: copy.manifest_hash,
      transactionHash: copy.transaction_hash,
    });
    expect(await heldBy(made, copy)).toEqual(await heldBy(made, source));
    expect(await made.canOpen(copy)).toBe(true);
  });

  test('a file stored unencrypted is copied without a key, and copies of copies keep the first owner', {
    tags: 'long-on-postgres',
  }, async () => {
    await using ground = await begin({});
    const { made, alice, bob, source } = ground;
    const carol = await made.world.person(alice.tenantId, 'carol');
    const [first] = await made.save(bob, source);
    const [second] = await made.save(carol, first as FileRow);
    expect(second).toMatchObject({
      origin_owner_id: alice.userId,
      shared_from_id: bob.userId,
      source_file_id: first?.id,
      provenance_depth: 2,
    });
  });

  test('repeated and concurrent saves make one copy while it exists', async () => {
    await using ground = await begin();
    const { made, bob, source } = ground;
    const saved = await Promise.all(Array.from({ length: 20 }, () => made.save(bob, source)));
    expect(new Set(saved.flat().map(copy => copy.id)).size).toBe(1);
    expect(await made.save(bob, source)).toMatchObject([{ id: saved[0]?.[0]?.id }]);
    await made.world.db.updateTable('file').set({ status: 2 }).where('owner_id', '=', bob.userId).execute();
    const [again] = await made.save(bob, source);
    expect(again?.id).not.toBe(saved[0]?.[0]?.id);
    expect(await filesOf(made, bob)).toHaveLength(2);
  });

  test('a gift revoked during a copy makes the copy fail, and nothing is left behind', async () => {
    await using ground = await begin();
    const { made, bob, source } = ground;
    made.giver.confirm = async () => {
      throw new ApiError('SHARE_CANCELLED');
    };
    expect(await rejectionOf(made.save(bob, source))).toMatchObject({ kind: 'SHARE_CANCELLED' });
    const [failed] = await filesOf(made, bob);
    expect(failed).toMatchObject({ status: -1, version_group_id: null });
    expect(await heldBy(made, failed as FileRow)).toEqual([]);
    const usage = await made.world.db.selectFrom('file_usage').select('files').where('owner_id', '=', bob.userId);
    expect(await usage.execute()).toEqual([]);
  });

  test('a copy without the envelope of the gift fails', { tags: 'long-on-postgres' }, async () => {
    await using ground = await begin();
    const { made, bob, source } = ground;
    const gift = { tenantId: source.tenant_id, recipientType: 'SHARE', recipientId: giftCode } as const;
    await made.world.db.transaction().execute(tx => revokeGift(tx, engine, gift, 1));
    expect(await rejectionOf(made.save(bob, source))).toMatchObject({ kind: 'FILE_NOT_EXIST' });
    await made.give(source);
    expect(await made.save(bob, source)).toHaveLength(1);
  });

  test('deleted files and own files are not copied', async () => {
    await using ground = await begin();
    const { made, alice, bob, source } = ground;
    expect(await rejectionOf(made.save(alice, source))).toMatchObject({ kind: 'DATA_ALREADY_EXISTED' });
    await made.world.db.updateTable('file').set({ status: 2 }).where('id', '=', source.id).execute();
    expect(await rejectionOf(made.save(bob, source))).toMatchObject({ kind: 'FILE_NOT_EXIST' });
    expect(await filesOf(made, bob)).toEqual([]);
  });

  test('the quota is checked for all files together, and concurrent saves are serialized', async () => {
    await using ground = await begin();
    const { made, alice, bob, source } = ground;
    const more = await made.world.store(alice, { bytes: await pattern(30_000, 2), sealed: true });
    await made.give(more);
    made.server.config = { ...made.server.config, quota: { ...wideQuota, userBytes: 50_000 } };
    expect(await rejectionOf(made.save(bob, source, more))).toMatchObject({ kind: 'QUOTA_EXCEEDED' });
    expect(await filesOf(made, bob)).toEqual([]);
    const both = await Promise.allSettled([made.save(bob, source), made.save(bob, more)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const saved = (await filesOf(made, bob)).filter(file => file.status === 1);
    expect(saved).toHaveLength(1);
  });

  test('an unreachable chain delays a copy', { tags: 'long-on-postgres' }, async () => {
    await using ground = await begin();
    const { made, bob, source } = ground;
    let away = 3;
    made.server.records = {
      ...made.records,
      recordFile: async record => {
        away -= 1;
        if (away >= 0) throw new ChainError('UNREACHABLE', 'nobody answers');
        return made.records.recordFile(record);
      },
    };
    let isSaved = false;
    const saving = made.save(bob, source).finally(() => {
      isSaved = true;
    });
    while (!isSaved) {
      made.world.clock.advance(1000);
      await made.drain();
      await new Promise(setImmediate); // the request waits by a timer of its own
    }
    expect(await saving).toMatchObject([{ status: 1 }]);
    expect(away).toBeLessThan(0);
  });

  test('a copy whose server died before it ran is completed by the next server', {
    tags: 'long-on-postgres',
  }, async () => {
    await using ground = await begin();
    const { made, bob, source } = ground;
    const { sagas } = made.server;
    made.server.sagas = {
      ...sagas,
      runNow: async () => {
        throw new Error('the server died here');
      },
    };
    await expect(made.save(bob, source)).rejects.toThrow('the server died here');
    const [prepared] = await filesOf(made, bob);
    expect(prepared?.status).toBe(0);
    made.server.sagas = sagas;
    await made.drain();
    expect(await findFile(made.world.db, bob.tenantId, prepared?.id ?? 0)).toMatchObject({ status: 1 });
    expect(await made.save(bob, source)).toMatchObject([{ id: prepared?.id }]);
  });

  /** The saga as a server leaves it that died before it noted that its last step was done. */
  async function leaveOpen(
    { world: { db, clock } }: CopyWorld,
    change: { status: SagaStatus; ends_as: 'FAILED' | null },
  ) {
    await db.transaction().execute(async tx => {
      const open = tx.updateTable('saga').set({ ...change, step: 'store', ended_at: null });
      const { id } = await open.where('kind', '=', 'file.copy').returning('id').executeTakeFirstOrThrow();
      await enqueue(tx, { kind: sagaJobKind, payload: { saga: id }, uniqueKey: sagaJobKey(id) }, clock.now());
    });
  }

  test.each([
    ['that died before it recorded that', { status: 'RUNNING', ends_as: null }, 'COMPLETED'],
    ['that recorded a failure', { status: 'COMPENSATING', ends_as: 'FAILED' }, 'FAILED'],
  ] as const)(
    'a copy stored by a server %s is kept, also after the original has been deleted',
    async (_what, left, end) => {
      await using ground = await begin();
      const { made, bob, source } = ground;
      const [saved] = await made.save(bob, source);
      await made.world.db.updateTable('file').set({ status: 2 }).where('id', '=', source.id).execute();
      await leaveOpen(made, left);
      await made.drain();
      expect(await made.world.db.selectFrom('saga').select('status').where('kind', '=', 'file.copy').execute()).toEqual(
        [{ status: end }],
      );
      expect(await findFile(made.world.db, bob.tenantId, saved?.id ?? 0)).toMatchObject({ status: 1 });
      expect(await heldBy(made, saved as FileRow)).not.toEqual([]);
    },
  );
});
