// Revocation of envelopes beside a key rotation on PostgreSQL, in the order that a snapshot taken too early would miss.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  lockEnvelopes,
  readEnvelopes,
  replaceEnvelopes,
  revokeGift,
} from '@recordproof/server/features/envelopes/index.ts';
import type { Envelope } from '@recordproof/server/platform/crypto/envelope.ts';
import { openLocalKeys } from '@recordproof/server/platform/crypto/local-keys.ts';
import { rewrapMany } from '@recordproof/server/platform/crypto/rewrap-many.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../support/database-address.ts';
import { until } from '../support/heartbeats.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { planRotation, toShare } from '../support/rotation-world.ts';

afterAll(stopPostgres);

test('a share revoked while its envelopes are being replaced keeps no active envelope', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-revoking-'));
  const { url } = await (await postgres()).freshDatabase();
  const database = await openTestDatabase({ kind: 'postgres', at: url });
  try {
    const { db, kind } = database;
    const { tenantId, keyFile } = await planRotation(database, { folder, envelopes: 30, shares: 1 });
    const gift = { tenantId, recipientType: 'SHARE', recipientId: toShare(0) } as const;
    const ofShare = () =>
      db.selectFrom('envelope').select(['id', 'status']).where('recipient_id', '=', gift.recipientId).orderBy('id');
    const ids = (await ofShare().execute()).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    const replaced = ids.slice(0, 2);
    const keys = await openLocalKeys({ path: keyFile, createIfMissing: false });
    const old = await readEnvelopes(db, kind, { tenantId, ids: replaced });
    const requests = old.map(({ envelope, binding }) => ({ source: envelope, binding }));
    const envelopes = (await rewrapMany([keys], keys, requests)) as Envelope[];

    const isWaiting = async () =>
      (
        await sql`select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      ).rows.length > 0;
    let revoking: Promise<void> | undefined;
    await db.transaction().execute(async tx => {
      await lockEnvelopes(tx, kind, { tenantId, ids: replaced });
      const replacements = old.map((one, index) => ({ old: one, envelope: envelopes[index] as Envelope }));
      await replaceEnvelopes(tx, kind, replacements, { logicalVersion: 2, now: 1 });
      revoking = db.transaction().execute(other => revokeGift(other, kind, gift, 2));
      revoking.catch(() => {}); // is awaited below
      await until(isWaiting);
    });
    await revoking;

    expect((await ofShare().execute()).map(({ status }) => status)).toEqual([
      ...['SUPERSEDED', 'SUPERSEDED'],
      ...['REVOKED', 'REVOKED', 'REVOKED'],
    ]);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
});
