// Certificates of key rotations: counts per key, ledger and audit entries, runs without a certificate.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { listIssuerKeys } from '@recordproof/shared/api/proofs.ts';
import { toDigest, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { retirementDocumentText } from '@recordproof/shared/evidence/retirement-certificate.ts';
import { parseRotationItem } from '@recordproof/shared/evidence/rotation-item.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { checkRetirement } from '@recordproof/verifier/retirement/check-retirement.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { eachApp, type StartApp } from '../../../../test/support/each-app.ts';
import { readEntries } from '../../../../test/support/ledger-entries.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { masterKeyFile, openLocalKeys } from '../../platform/crypto/local-keys.ts';
import { verifyAuditChain } from '../audit/index.ts';

const policy = {
  expectedProvider: 'local',
  expectedProviderContract: 1,
  expectedProviderKeyVersion: '2',
  targetLogicalKeyVersion: 2,
};

/** Two files under key 1 and one under key 2; a finished run has moved what was to be moved. */
async function openWorld(start: StartApp, mode: 'APPLY' | 'DRY_RUN' = 'APPLY') {
  const app = await start({ env: { KEY_ROTATION_ENABLED: 'true' } });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  const store = async () => (await storeProxied(ada, randomBytes(500))).fileHash;
  const old = [await store(), await store()];
  const keys = await openLocalKeys({ path: join(app.config.keysFolder, masterKeyFile), createIfMissing: false });
  await keys.addVersion();
  const fresh = await store();
  await root.call(api.putKeyRotationPolicy, { body: policy });
  const { runId } = await root.call(api.startKeyRotation, { body: { mode, requestId: 'the-run' } });
  await app.drain();
  return { app, root, old, fresh, params: { runId }, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const issue = (root: Person, params: { runId: string }) => root.call(api.issueRetirementCertificate, { params });

async function readItems(root: Person, { runId }: { runId: string }): Promise<Buffer> {
  const answer = await root.fetch(api.exportRotationItems.path.replace('{runId}', runId));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  return Buffer.from(await answer.arrayBuffer());
}

const linesOf = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map(line => parseRotationItem(toUtf8(line)));

async function* inBlocks(bytes: Buffer, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const readLedger = async ({ app }: TestApp) =>
  (await readEntries(app.database.db)).map(row => parseLedgerEntry(toUtf8(row.entry)));

const readAudit = ({ app }: TestApp) => listAuditRows(app.database.db, { module: 'key-rotation' });

eachApp(start => {
  test('a certificate, the audit log and the ledger prove which keys wrapped which files', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start);
    const { app, root, old, fresh, params } = world;
    const document = await issue(root, params);
    const items = await readItems(root, params);
    const [issuer] = await root.call(listIssuerKeys);
    const report = await checkRetirement(
      {
        document: toUtf8(retirementDocumentText(document)),
        trustedKey: toUtf8(JSON.stringify(issuer)),
        items: inBlocks(items, 7),
      },
      nodePlatform,
    );
    expect(report).toMatchObject({ outcome: 'VALID', certificate: document.certificate });

    const wrapped = linesOf(items).map(item => [
      item.recordId,
      item.before.keyVersion,
      'after' in item ? item.after.keyVersion : null,
    ]);
    expect(wrapped).toEqual([
      [old[0], '1', '2'],
      [old[1], '1', '2'],
      [fresh, '2', '2'],
    ]);
    const onLedger = (await readLedger(app)).flatMap(entry => (entry.kind === 'FILE_RECORD' ? [entry.recordId] : []));
    for (const [recordId] of wrapped) expect(onLedger).toContain(recordId);

    const { certificate } = document;
    const audit = await readAudit(app);
    expect(audit.map(row => row.operation_type)).toEqual(['put-policy', 'start-run', 'end-run', 'issue-certificate']);
    const [saved, started, ended, issued] = audit;
    expect(JSON.parse(saved?.request_param ?? '')).toMatchObject(policy);
    expect(JSON.parse(started?.request_param ?? '')).toMatchObject({
      mode: 'APPLY',
      policyVersion: certificate.policy.version,
    });
    expect(JSON.parse(ended?.request_param ?? '')).toMatchObject({ total: 3, succeeded: 2, skipped: 1, failed: 0 });
    expect(JSON.parse(issued?.request_param ?? '')).toMatchObject({
      certificate: toDigest(createHash('sha256').update(retirementDocumentText(document)).digest()),
      items: certificate.items.digest,
    });
    expect(ended).toMatchObject(certificate.audit);
    const tenantId = Number(certificate.tenantId);
    expect((await verifyAuditChain(app.app.database.db, tenantId)).brokenAt).toBeNull();

    const envelopes = await app.app.database.db.selectFrom('envelope').selectAll().execute();
    const told = JSON.stringify([document, items.toString(), audit]);
    for (const { wrapped_key, aad_digest } of envelopes)
      for (const secret of [wrapped_key.toString('hex'), wrapped_key.toString('base64'), aad_digest])
        expect(told).not.toContain(secret);
  });

  test('a certificate counts the envelopes of each key before and after, and is issued once', async () => {
    await using world = await openWorld(start);
    const { app, root, params } = world;
    const twenty = await Promise.all(Array.from({ length: 20 }, () => issue(root, params)));
    expect(new Set(twenty.map(retirementDocumentText)).size).toBe(1);
    app.clock.advance(3_600_000);
    expect(await issue(root, params)).toEqual(twenty[0]);
    expect(twenty[0]?.certificate).toMatchObject({
      counts: { total: 3, succeeded: 2, alreadyTarget: 1, revoked: 0, sourceChanged: 0 },
      keys: [
        { provider: 'local', contract: 1, keyVersion: '1', before: 2, after: 0 },
        { provider: 'local', contract: 1, keyVersion: '2', before: 1, after: 3 },
      ],
      oldKeyInUse: false,
    });
    const issued = (await readAudit(app)).filter(row => row.operation_type === 'issue-certificate');
    expect(issued).toHaveLength(1);
  });

  test('a certificate reports that the old key is still in use', { tags: 'long-on-postgres' }, async () => {
    await using world = await openWorld(start);
    const { app, root, old, params } = world;
    await app.app.database.db
      .updateTable('envelope')
      .set({ status: 'ACTIVE', recipient_id: 'of a server that had not heard' })
      .where('file_hash', '=', old[0] ?? '')
      .where('status', '=', 'SUPERSEDED')
      .execute();
    expect((await issue(root, params)).certificate.oldKeyInUse).toBe(true);
  });

  test('a dry run and a run of another tenant have no certificate', { tags: 'long-on-postgres' }, async () => {
    await using world = await openWorld(start, 'DRY_RUN');
    const { app, root, params } = world;
    const far = await app.person('far', { role: 'admin', tenant: 'elsewhere' });
    for (const endpoint of [api.issueRetirementCertificate, api.exportRotationItems]) {
      expect((await root.expectError(endpoint, { params })).kind).toBe('RUN_STATE_CONFLICT');
      expect((await far.expectError(endpoint, { params })).kind).toBe('RESULT_DATA_NONE');
    }
  });
});
