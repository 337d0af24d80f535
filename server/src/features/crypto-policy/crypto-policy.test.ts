// The cryptography policy of a tenant over the API: versions, forbidden choices, and suite dates for files and proofs.
import { createHash, randomBytes } from 'node:crypto';
import { attestationStatus, triggerAttestation } from '@recordproof/shared/api/attestation.ts';
import * as api from '@recordproof/shared/api/crypto-policy.ts';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { saveSharedFiles } from '@recordproof/shared/api/share-access.ts';
import { getShareStats } from '@recordproof/shared/api/share-logs.ts';
import { createShare } from '@recordproof/shared/api/shares.ts';
import { createUploadSession } from '@recordproof/shared/api/upload-sessions.ts';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import { expect, test } from 'vitest';
import { type Person, startOfTests, type TestApp } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { parseMetrics } from '../../../../test/support/prometheus.ts';
import { share } from '../../../../test/support/shares.ts';
import { startTransitDouble, type TransitDouble } from '../../../../test/support/transit-double.ts';
import {
  answerOf,
  sendFile,
  sendProxied,
  startDirect,
  storeProxied,
  toPlan,
} from '../../../../test/support/uploads.ts';

const token = 'hvs.a-token-of-a-test';
const minute = 60_000;
const at = (minutes: number): string => new Date(startOfTests + minutes * minute).toISOString();
const gcmEnv = 'CRYPTO_SUITES_RP_AES256_GCM_CHUNK_CHAIN_V1';

const put = (root: Person, policy: api.CryptoPolicy, input: Partial<api.CryptoChoices> = {}) =>
  root.call(api.putCryptoPolicy, { body: { ...policy, ...input, expectedVersion: policy.policyVersion } });
const rejectedPut = (root: Person, policy: api.CryptoPolicy, input: Partial<api.CryptoChoices> = {}) =>
  root.expectError(api.putCryptoPolicy, { body: { ...policy, ...input, expectedVersion: policy.policyVersion } });

const download = (person: Person, fileHash: string) => person.fetch(downloadFile.path.replace('{hash}', fileHash));

type Rejection = { readonly detail: { readonly reason: string; readonly suite: string } };

async function decisions(root: Person): Promise<(labels: string) => number> {
  const families = parseMetrics(await (await root.fetch('/actuator/prometheus')).text());
  const samples = families.get('app_crypto_suite_decision_total')?.samples;
  return labels => samples?.get(`app_crypto_suite_decision_total{${labels}}`) ?? 0;
}

const reaching = ({ address }: TransitDouble) => ({
  RECORDPROOF_VAULT_ADDRESS: address,
  RECORDPROOF_VAULT_KEY: 'files',
  RECORDPROOF_VAULT_TOKEN: token,
});
const sameDatabase = ({ config }: TestApp): Record<string, string> =>
  config.db.kind === 'postgres' ? { DATABASE_URL: config.db.url.reveal() } : {};

eachApp(start => {
  test('a tenant follows the configuration until it sets a policy; the same policy adds no version', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const elsewhere = await app.person('other-root', { role: 'admin', tenant: 'elsewhere' });
    const first = await root.call(api.getCryptoPolicy);
    expect(first).toMatchObject({ policyVersion: 0, wrappingProvider: 'local', wrappingProviderContract: 1 });
    const { policyVersion, policyFingerprint, ...choices } = first;
    const digest = createHash('sha256').update(canonicalJson(choices)).digest('hex');
    expect(policyFingerprint).toBe(`sha256:${digest}`);

    expect(await put(root, first)).toEqual({ ...first, policyVersion: 1 });
    expect(await put(root, { ...first, policyVersion: 1 })).toEqual({ ...first, policyVersion: 1 });
    expect(await root.call(api.getCryptoPolicy)).toEqual({ ...first, policyVersion: 1 });
    expect(await elsewhere.call(api.getCryptoPolicy)).toEqual(first);
    const rows = await listAuditRows(app.app.database.db, { module: 'crypto-policy' });
    expect(rows.map(row => row.operation_type)).toEqual(['put-policy']);
    expect(JSON.parse(rows[0]?.request_param ?? '')).toMatchObject({ policyVersion: 1, policyFingerprint, ...choices });
  });

  test('of concurrent writes to one policy version one succeeds, the others get a version conflict', async () => {
    await using vault = await startTransitDouble(token);
    vault.addKey('files');
    await using app = await start({ env: reaching(vault) });
    const root = await app.person('root', { role: 'admin' });
    for (const [version, wrappingProvider] of ['vault-transit', 'local'].entries()) {
      const read = await root.call(api.getCryptoPolicy);
      expect(read.policyVersion).toBe(version);
      const answers = await Promise.allSettled(Array.from({ length: 8 }, () => put(root, read, { wrappingProvider })));
      const lost = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []));
      expect(lost).toHaveLength(7);
      for (const error of lost)
        expect(error).toMatchObject({ kind: 'POLICY_VERSION_CONFLICT', detail: { reason: 'POLICY_VERSION_CONFLICT' } });
    }
    expect((await root.call(api.getCryptoPolicy)).policyVersion).toBe(2);
    const count = await decisions(root);
    expect(count('type="POLICY",operation="policy",outcome="refused",reason="POLICY_VERSION_CONFLICT"')).toBe(14);
    expect(count('type="POLICY",operation="policy",outcome="allowed",reason="NONE"')).toBe(2);
  });

  test('a forbidden choice is rejected with its reason and changes nothing', { tags: 'long-on-postgres' }, async () => {
    await using app = await start();
    const root = await app.person('root', { role: 'admin' });
    const policy = await root.call(api.getCryptoPolicy);
    const inputs: [Partial<api.CryptoChoices>, api.DecisionReason][] = [
      [{ envelopeSignatureSuite: 'ML-DSA-65-DRAFT' }, 'EXPERIMENTAL_NOT_ALLOWED'],
      [{ kemSuite: 'ML-KEM-768-DRAFT' }, 'EXPERIMENTAL_NOT_ALLOWED'],
      [{ signingProvider: 'unimplemented-pqc' }, 'EXPERIMENTAL_NOT_ALLOWED'],
      [{ contentEncryptionSuite: 'NONE' }, 'REENCRYPT_REQUIRED'],
      [{ proofSuite: 'NO-SUCH-SUITE' }, 'UNKNOWN_SUITE'],
      [{ proofSuite: 'UNSIGNED-V1' }, 'TYPE_MISMATCH'],
      [{ wrappingProvider: 'vault-transit' }, 'UNSUPPORTED'],
      [{ signingProviderContract: 7 }, 'PROVIDER_MISMATCH'],
    ];
    for (const [input, reason] of inputs) {
      const error = await rejectedPut(root, policy, input);
      expect(error).toMatchObject({ status: 422, detail: { reason, field: Object.keys(input)[0] } });
    }
    const malformed = await root.expectError(api.putCryptoPolicy, {
      body: { ...policy, expectedVersion: 0, wrappingProvider: '../x' },
    });
    expect(malformed.status).toBe(400);
    expect(await root.call(api.getCryptoPolicy)).toEqual(policy);
    const count = await decisions(root);
    expect(count('type="KEM",operation="policy",outcome="refused",reason="EXPERIMENTAL_NOT_ALLOWED"')).toBe(1);
    expect(count('type="SIGNING_PROVIDER",operation="policy",outcome="refused",reason="PROVIDER_MISMATCH"')).toBe(1);
  });

  test('a suite past deprecated-at is only read; past disabled-at it is not read either', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start({
      env: { [`${gcmEnv}_DEPRECATED_AT`]: at(10), [`${gcmEnv}_DISABLED_AT`]: at(20) },
    });
    const ada = await app.person('ada');
    const root = await app.person('root', { role: 'admin' });
    const bytes = randomBytes(5000);
    const { fileHash } = await storeProxied(ada, bytes);
    const underWay = await sendProxied(ada, bytes);

    app.clock.advance(10 * minute);
    const deprecated = { status: 422, data: { detail: { reason: 'DEPRECATED_FOR_WRITE' } } };
    expect(await sendFile(ada, bytes)).toMatchObject(deprecated);
    expect(await ada.expectError(createUploadSession, { body: toPlan(bytes) })).toMatchObject({
      status: 422,
      detail: { reason: 'DEPRECATED_FOR_WRITE', suite: 'RP-AES256-GCM-CHUNK-CHAIN-V1' },
    });
    expect(Buffer.from(await (await download(ada, fileHash)).arrayBuffer()).equals(bytes)).toBe(true);
    await share(ada, [fileHash]);
    const finished = await answerOf(ada.fetch(`/api/v1/upload-sessions/${underWay}/complete`, { method: 'POST' }));
    expect(finished.status, 'what had begun may be finished').toBe(200);
    const suites = await root.call(api.getCryptoDiagnostics);
    expect(suites.suites[0]).toMatchObject({ status: 'DEPRECATED', productionWriteAllowed: false });

    app.clock.advance(10 * minute);
    const rejected = await answerOf<Rejection>(download(ada, fileHash));
    expect(rejected).toMatchObject({ status: 422, data: { detail: { reason: 'DISABLED_FOR_READ' } } });
    const count = await decisions(root);
    const content = (rest: string) => count(`type="CONTENT_ENCRYPTION",${rest}`);
    expect(content('operation="write",outcome="refused",reason="DEPRECATED_FOR_WRITE"')).toBe(2);
    expect(content('operation="read",outcome="refused",reason="DISABLED_FOR_READ"')).toBe(1);
    expect(content('operation="read",outcome="allowed",reason="NONE"'), 'the download and the share').toBe(2);
  });

  test('a file past disabled-at cannot be probed, revalidated, shared or saved', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start({ env: { [`${gcmEnv}_DISABLED_AT`]: at(20) } });
    const ada = await app.person('ada');
    const bob = await app.person('bob');
    const { fileHash } = await storeProxied(ada, randomBytes(5000));
    const { shareCode: code } = await share(ada, [fileHash]);
    const { shareCode: kept } = await share(ada, [fileHash]);
    const etag = (await download(ada, fileHash)).headers.get('etag') ?? '';
    const ask = (path: string, init: RequestInit = {}) => bob.fetch(path, init).then(({ status }) => status);
    const ways = async () => [
      ...(await Promise.all(
        [{}, { method: 'HEAD' }, { headers: { 'if-none-match': etag } }, { headers: { range: 'bytes=9000-' } }].map(
          async init => (await ada.fetch(downloadFile.path.replace('{hash}', fileHash), init)).status,
        ),
      )),
      await ask(`/api/v1/files/share/${code}/files/${fileHash}/download`, { method: 'HEAD' }),
      await ask(`/s/${code}/all.zip`, { method: 'HEAD' }),
      await ask(`/s/${code}/all.zip`),
      await ask(`/api/v1/files/share/${code}/save`, { method: 'POST' }),
    ];
    expect(await ways()).toEqual([200, 200, 304, 416, 200, 200, 200, 200]);
    app.clock.advance(20 * minute);
    expect((await ways()).slice(0, 7)).toEqual(new Array(7).fill(422));
    expect(await ask(`/api/v1/files/share/${kept}/files/${fileHash}/download`)).toBe(422);
    const params = { code: kept };
    expect(await ada.call(getShareStats, { params }), 'no byte was sent').toMatchObject({ totalAccess: 0 });
    const carol = await app.person('carol');
    const disabled = { status: 422, detail: { reason: 'DISABLED_FOR_READ' } };
    expect(await carol.expectError(saveSharedFiles, { params: { code: kept } })).toMatchObject(disabled);
    const body = { fileHash: [fileHash], expireMinutes: 60, shareType: 0 as const };
    expect(await ada.expectError(createShare, { body })).toMatchObject(disabled);
    const copies = await app.app.database.db.selectFrom('file').select('status').where('status', '!=', 1).execute();
    expect(copies).toEqual([]);
  });

  test('proofs are not signed past deprecated-at, and not returned past disabled-at', {
    tags: 'long-on-postgres',
  }, async () => {
    const jws = 'CRYPTO_SUITES_JWS_EDDSA_ED25519_V1';
    await using app = await start({
      env: { RECORDPROOF_PROFILE: 'laptop', [`${jws}_DEPRECATED_AT`]: at(10), [`${jws}_DISABLED_AT`]: at(20) },
    });
    const ada = await app.person('ada');
    const proofOf = (fileId: string) => ada.fetch(`/api/v1/files/${fileId}/proof-bundle.zip`);
    const store = async () => {
      const { fileId } = await storeProxied(ada, randomBytes(100));
      await app.drain();
      return fileId;
    };
    const early = await store();
    const archive = Buffer.from(await (await proofOf(early)).arrayBuffer());
    app.clock.advance(10 * minute);
    const late = await store();
    expect(await answerOf<Rejection>(proofOf(late))).toMatchObject({
      status: 422,
      data: { detail: { reason: 'DEPRECATED_FOR_WRITE', suite: 'JWS-EDDSA-ED25519-V1' } },
    });
    expect(Buffer.from(await (await proofOf(early)).arrayBuffer()).equals(archive)).toBe(true);
    app.clock.advance(10 * minute);
    expect(await answerOf<Rejection>(proofOf(early))).toMatchObject({
      status: 422,
      data: { detail: { reason: 'DISABLED_FOR_READ' } },
    });
  });

  test('no batch is made past deprecated-at of its proof suite; its files wait', {
    tags: 'long-on-postgres',
  }, async () => {
    await using app = await start({
      env: { RECORDPROOF_PROFILE: 'laptop', CRYPTO_SUITES_RP_MERKLE_SHA256_V1_DEPRECATED_AT: at(0) },
    });
    const ada = await app.person('ada');
    const root = await app.person('root', { role: 'admin' });
    await storeProxied(ada, randomBytes(100));
    await app.drain();
    const run = await root.call(triggerAttestation);
    expect(run).toMatchObject({ batchesCreated: 0, candidatesDeadLettered: 0, thresholdDeferred: true });
    expect((await root.call(attestationStatus)).readyCandidates).toBe(1);
  });

  test('a deployment can reject uploads that are stored unencrypted', { tags: 'long-on-postgres' }, async () => {
    await using app = await start({ env: { CRYPTO_SUITES_NONE_PRODUCTION_WRITE_ALLOWED: 'false' } });
    const ada = await app.person('ada');
    const bytes = randomBytes(100);
    expect((await sendFile(ada, bytes)).status).toBe(200);
    const direct = await startDirect(ada, bytes).catch((error: unknown) => error);
    expect(direct).toMatchObject({ status: 422, detail: { reason: 'CAPABILITY_MISMATCH', suite: 'NONE' } });
  });

  test('the policy of a tenant selects its wrapping provider, and an outage has no fallback', {
    tags: 'long-on-postgres',
  }, async () => {
    await using vault = await startTransitDouble(token);
    vault.addKey('files');
    await using app = await start({ env: reaching(vault) });
    const ada = await app.person('ada');
    const eve = await app.person('eve', { tenant: 'elsewhere' });
    const root = await app.person('root', { role: 'admin' });
    await sendFile(ada, randomBytes(100));
    const policy = await put(root, await root.call(api.getCryptoPolicy), { wrappingProvider: 'vault-transit' });
    expect(policy).toMatchObject({ policyVersion: 1, wrappingProvider: 'vault-transit' });
    await sendFile(ada, randomBytes(100));
    await storeProxied(ada, randomBytes(100));
    await sendFile(eve, randomBytes(100));
    const envelopes = await app.app.database.db.selectFrom('envelope').selectAll().orderBy('id').execute();
    expect(envelopes.map(row => row.provider)).toEqual(['local', 'vault-transit', 'vault-transit', 'local']);
    expect(envelopes[1]).toMatchObject({ signature_suite: 'UNSIGNED-V1', kem_suite: 'NONE-V1' });
    await app.app[Symbol.asyncDispose]();

    await using next = await start({ folder: app.folder, env: sameDatabase(app) });
    const bob = await next.person('bob');
    expect(await sendFile(bob, randomBytes(100))).toMatchObject({
      status: 422,
      data: { detail: { reason: 'UNSUPPORTED', provider: 'vault-transit' } },
    });
    const carol = await next.person('carol', { tenant: 'elsewhere' });
    expect((await sendFile(carol, randomBytes(100))).status).toBe(200);
  });

  test('a provider that does not respond cannot be chosen', { tags: 'long-on-postgres' }, async () => {
    await using vault = await startTransitDouble(token);
    vault.addKey('files');
    await using app = await start({ env: reaching(vault) });
    const root = await app.person('root', { role: 'admin' });
    const policy = await root.call(api.getCryptoPolicy);
    vault.troubles.set('keys', { trouble: { kind: 'refuse', status: 403, errors: ['a secret'] }, times: 100 });
    const error = await rejectedPut(root, policy, { wrappingProvider: 'vault-transit' });
    expect(error).toMatchObject({ status: 503, detail: { failureCategory: 'PERMISSION_DENIED' } });
    const { wrappingProviders } = await root.call(api.getCryptoDiagnostics);
    expect(wrappingProviders.map(one => [one.provider, one.configuration, one.available])).toEqual(
      expect.arrayContaining([
        ['local', 'CONFIGURED', true],
        ['vault-transit', 'CONFIGURED', false],
      ]),
    );
  });

  test('diagnostics list all suites and providers, without secrets', { tags: 'long-on-postgres' }, async () => {
    await using app = await start({ env: { CRYPTO_SUITES_NONE_DEPRECATED_AT: at(60) } });
    const root = await app.person('root', { role: 'admin' });
    const ada = await app.person('ada');
    expect((await ada.expectError(api.getCryptoDiagnostics)).status).toBe(403);
    const { policyVersion, policyFingerprint } = await root.call(api.getCryptoPolicy);
    const told = await root.call(api.getCryptoDiagnostics);
    expect(told).toMatchObject({ policyVersion, policyFingerprint });
    expect(told.suites.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'RP-AES256-GCM-CHUNK-CHAIN-V1 ACTIVE',
      'NONE ACTIVE',
      'UNSIGNED-V1 ACTIVE',
      'ML-DSA-65-DRAFT EXPERIMENTAL',
      'NONE-V1 ACTIVE',
      'ML-KEM-768-DRAFT EXPERIMENTAL',
      'RP-MERKLE-SHA256-V1 ACTIVE',
      'JWS-EDDSA-ED25519-V1 ACTIVE',
      'RP-SIGNED-PROOF-ZIP-V2 ACTIVE',
    ]);
    expect(told.suites[1]?.lifecycle).toMatchObject({ deprecatedAt: at(60), disabledAt: null });
    const local = told.wrappingProviders.find(({ provider }) => provider === 'local');
    expect(local).toMatchObject({ algorithms: ['AES-256-GCM'], available: true, configuration: 'CONFIGURED' });
    const vault = told.wrappingProviders.find(({ provider }) => provider === 'vault-transit');
    expect(vault).toMatchObject({ operations: [], available: false, configuration: 'NOT_CONFIGURED' });
    expect(told.proofProviders).toEqual([
      {
        provider: 'local-ed25519',
        providerContract: 1,
        signatureSuites: ['JWS-EDDSA-ED25519-V1'],
        proofSuites: ['RP-SIGNED-PROOF-ZIP-V2'],
      },
    ]);
  });
});
