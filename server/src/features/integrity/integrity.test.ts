// @module-tag long-on-postgres
// Alerts for damage found by downloads: type, notices to the staff, and degraded health until resolution.
import { readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { getHealth } from '@recordproof/shared/api/monitor.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { writeManifestText } from '../../../../test/support/manifest-text.ts';
import { sendFile } from '../../../../test/support/uploads.ts';

const managementToken = 'management-token-of-at-least-forty-characters';
const openApp = () => startApp({ env: { RECORDPROOF_MANAGEMENT_TOKEN: managementToken } });

async function listObjects({ folder }: TestApp): Promise<string[]> {
  const entries = await readdir(join(folder, 'objects', 'objects'), { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

/** Its hash, and what happens to its bytes. */
async function storeAndHurt(app: TestApp, alice: Person, seed: number, hurt: (path: string) => Promise<void>) {
  const before = await listObjects(app);
  const { data } = await sendFile(alice, await pattern(50_000, seed), `report ${seed}.pdf`);
  for (const path of await listObjects(app)) if (!before.includes(path)) await hurt(path);
  await app.drain();
  return data;
}

const read = async (person: Person, fileHash: string): Promise<number> =>
  (await person.fetch(`/api/v1/files/${fileHash}/download`)).status;

/** What the staff was told. */
async function listAlerts(app: TestApp) {
  await app.drain();
  const rows = await app.app.database.db
    .selectFrom('event')
    .select(['tenant_id', 'user_id', 'roles', 'payload'])
    .where('type', '=', 'INTEGRITY_ALERT')
    .orderBy('id')
    .execute();
  return rows.map(row => ({ ...row, payload: JSON.parse(row.payload) as Record<string, unknown> }));
}

async function integrityOf({ app, clock }: TestApp) {
  clock.advance(2000);
  const headers = { authorization: `Bearer ${managementToken}` };
  const health = (await (await fetch(app.url + getHealth.path, { headers })).json()) as {
    components: { integrity: unknown };
  };
  return health.components.integrity;
}

test('damage found by downloads is notified to the staff once, and degrades health until it is resolved', async () => {
  await using app = await openApp();
  const alice = await app.person('alice');
  await app.person('eve', { role: 'admin', tenant: 'other' });
  expect(await integrityOf(app)).toEqual({ status: 'UP', details: { unresolvedAlerts: 0 } });
  const { fileId, fileHash } = await storeAndHurt(app, alice, 1, path => truncate(path, 100));
  expect(await Promise.all([read(alice, fileHash), read(alice, fileHash)])).toEqual([500, 500]);
  const alerts = await listAlerts(app);
  expect(alerts).toEqual([
    {
      tenant_id: (await app.app.database.db.selectFrom('file').select('tenant_id').executeTakeFirstOrThrow()).tenant_id,
      user_id: null,
      roles: 'admin monitor',
      payload: {
        alertId: expect.stringMatching(/^\d+$/),
        fileId,
        fileName: 'report 1.pdf',
        alertType: expect.any(String),
        severity: 'CRITICAL',
        evidence: { chunk: 0, path: expect.any(String), reason: expect.stringContaining('chunk 0') },
      },
    },
  ]);
  expect(await read(alice, fileHash)).toBe(500);
  expect(await listAlerts(app)).toEqual(alerts);
  expect(await integrityOf(app)).toEqual({ status: 'DEGRADED', details: { unresolvedAlerts: 1 } });
  await app.app.database.db.updateTable('integrity_alert').set({ status: 'RESOLVED' }).execute();
  expect(await integrityOf(app)).toEqual({ status: 'UP', details: { unresolvedAlerts: 0 } });
  expect(await read(alice, fileHash)).toBe(500);
  expect(await listAlerts(app)).toHaveLength(2);
});

test('the kind of damage determines the type of the alert', async () => {
  await using app = await openApp();
  const alice = await app.person('alice');
  const gone = await storeAndHurt(app, alice, 1, path => rm(path));
  const odd = await storeAndHurt(app, alice, 2, async () => {});
  const { db } = app.app.database;
  await writeManifestText(db, odd.fileId, '{}');
  for (const { fileHash } of [gone, odd]) expect(await read(alice, fileHash)).toBe(500);
  const types = (await listAlerts(app)).map(({ payload }) => payload.alertType);
  expect(types).toEqual(['OBJECT_NOT_FOUND', 'MANIFEST_INVALID']);
});
