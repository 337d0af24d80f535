// A database of an earlier release, whose proofs hold the whole JWS, becomes one that holds signatures.
import { getPublicProofStatus } from '@recordproof/shared/api/proofs.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { exportProof, laptop, openProof } from '../../../../test/support/real-proofs.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { migrations } from '../../compose/features.ts';
import { migrate, statementsOf } from '../../platform/db/migrate.ts';
import { proofMigrations } from './migrations.ts';

const app = await startApp({ env: laptop });
afterAll(() => app[Symbol.asyncDispose]());

const { db, kind } = app.app.database;

/** As the release before wrote them. */
async function restoreJws(entries: readonly (readonly [proofId: string, jws: string])[]): Promise<void> {
  await sql`alter table proof add column jws text not null default ''`.execute(db);
  for (const [proofId, jws] of entries)
    await sql`update proof set jws = ${jws} where proof_id = ${proofId}`.execute(db);
  for (const column of ['manifest_sha256', 'signature'])
    await sql`alter table proof drop column ${sql.ref(column)}`.execute(db);
  await db.deleteFrom('schema_migration').where('name', 'like', 'V1.47.%').execute();
}

test('the migration keeps archives byte for byte, and a proof with a damaged JWS is invalid', async () => {
  const alice = await app.person('alice');
  const fileIds: string[] = [];
  for (let seed = 1; seed <= 12; seed += 1) fileIds.push((await sendFile(alice, await pattern(500, seed))).data.fileId);
  await app.drain();
  const before = await Promise.all(fileIds.map(id => exportProof(alice, id)));
  const opened = before.map(openProof);
  const [damaged] = opened;
  await restoreJws(
    opened.map(({ manifest, entries }) => {
      const jws = parseUtf8(entries['issuer-signature.jws']);
      return [manifest.proofId, manifest.proofId === damaged?.manifest.proofId ? jws.replace('.', '!') : jws];
    }),
  );
  if (kind === 'postgres')
    await expect(migrate(db, kind, migrations, Date.now())).rejects.toThrow('servers of an older version run');
  await db.transaction().execute(async tx => {
    for (const step of proofMigrations.slice(-2)) {
      for (const statement of statementsOf(step, kind)) await sql.raw(statement).execute(tx);
      await step.convert?.(tx, kind);
    }
  });

  for (const [index, fileId] of fileIds.entries())
    if (index > 0) expect(await exportProof(alice, fileId)).toEqual(before[index]);
  const params = { proofId: damaged?.manifest.proofId ?? '' };
  expect(await app.anonymous.call(getPublicProofStatus, { params })).toMatchObject({ status: 'INVALID' });
});
