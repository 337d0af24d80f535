// Batch production of proofs: admission of files, batch size and waiting time, polls, triggers and metrics.
import { randomBytes } from 'node:crypto';
import * as api from '@recordproof/shared/api/attestation.ts';
import { getFile } from '@recordproof/shared/api/files.ts';
import { expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { parseMetrics } from '../../../../test/support/prometheus.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';

const minute = 60_000;

const modest = {
  ATTESTATION_PRODUCTION_ENABLED: 'true',
  ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '3',
  ATTESTATION_PRODUCTION_SEED_LIMIT: '2',
};

const quiet = {
  force: true,
  candidatesAdmitted: 0,
  candidatesClaimed: 0,
  candidatesDeadLettered: 0,
  batchesRecovered: 0,
  batchesCreated: 0,
  batchesCompleted: 0,
  batchesRetrying: 0,
  batchesManualReview: 0,
  thresholdDeferred: false,
  batchIds: [],
};

test('while production is disabled nothing is admitted, and a trigger reports so', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp();
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  await storeProxied(ada, randomBytes(10));
  await app.drain();
  expect(await root.call(api.triggerAttestation)).toEqual({ enabled: false, ...quiet });
  expect(await root.call(api.attestationStatus)).toEqual({
    enabled: false,
    minBatchSize: 50,
    maxBatchSize: 100,
    maxWaitSeconds: 600,
    seedLimit: 200,
    maxBatchesPerRun: 2,
    readyCandidates: 0,
    claimedCandidates: 0,
    batchedCandidates: 0,
    deadLetterCandidates: 0,
    oldestReadyAt: null,
    dueBatches: 0,
  });
});

test('candidates wait for a full batch; a trigger does not', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env: modest });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  const { fileHash } = await storeProxied(ada, randomBytes(10));
  await storeProxied(ada, randomBytes(20));
  await app.drain();
  const proofStatus = async () => (await ada.call(getFile, { params: { hash: fileHash } })).proofStatus;
  expect(await proofStatus()).toBe('PENDING');
  expect(await root.call(api.attestationStatus)).toMatchObject({ readyCandidates: 2, batchedCandidates: 0 });
  const run = await root.call(api.triggerAttestation);
  expect(run).toEqual({
    ...quiet,
    enabled: true,
    candidatesClaimed: 2,
    batchesCreated: 1,
    batchesCompleted: 1,
    batchIds: ['1'],
  });
  await app.drain();
  expect(await proofStatus()).toBe('ISSUED');
  expect(await root.call(api.attestationStatus)).toMatchObject({
    readyCandidates: 0,
    batchedCandidates: 2,
    oldestReadyAt: null,
  });
  expect(await root.call(api.triggerAttestation)).toEqual({ ...quiet, enabled: true });
  await app.drain();
  await checkEverything(app);
});

test('a batch is due at its minimum size or after the maximum wait', { tags: 'long-on-postgres' }, async () => {
  await using app = await startApp({ env: modest });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  const batched = async () => (await root.call(api.attestationStatus)).batchedCandidates;
  for (let size = 1; size <= 3; size += 1) await storeProxied(ada, randomBytes(size));
  await app.drain();
  expect(await batched()).toBe(3);
  await storeProxied(ada, randomBytes(4));
  await app.drain(); // it waits from when it was let in
  app.clock.advance(599_000);
  await app.drain();
  expect(await batched()).toBe(3);
  app.clock.advance(40_000);
  await app.drain();
  expect(await batched()).toBe(4);
  await app.drain();
  await checkEverything(app);
});

test('the first poll runs after the initial delay, later polls after the poll interval', {
  tags: 'long-on-postgres',
}, async () => {
  await using app = await startApp({
    env: {
      ...modest,
      ATTESTATION_PRODUCTION_MAX_WAIT_SECONDS: '60',
      ATTESTATION_PRODUCTION_INITIAL_DELAY_MS: String(10 * minute),
      ATTESTATION_PRODUCTION_POLL_INTERVAL_MS: String(5 * minute),
    },
  });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  const batchedAfter = async (minutes: number) => {
    app.clock.advance(minutes * minute);
    await app.drain();
    return (await root.call(api.attestationStatus)).batchedCandidates;
  };
  await storeProxied(ada, randomBytes(1));
  expect([await batchedAfter(0), await batchedAfter(9), await batchedAfter(2)]).toEqual([0, 0, 1]);
  await storeProxied(ada, randomBytes(2));
  expect([await batchedAfter(0), await batchedAfter(3), await batchedAfter(3)]).toEqual([1, 1, 2]);
});

test('a trigger ignores files of other tenants', async () => {
  await using app = await startApp({ env: { ...modest, ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '9' } });
  const ada = await app.person('ada');
  const boss = await app.person('boss', { role: 'admin', tenant: 'elsewhere' });
  await storeProxied(ada, randomBytes(10));
  await app.drain();
  expect(await boss.call(api.triggerAttestation)).toEqual({ ...quiet, enabled: true });
  expect(await boss.call(api.attestationStatus)).toMatchObject({ readyCandidates: 0 });
  await app.drain();
  await checkEverything(app);
});

test('files stored while production was disabled are admitted later, a bounded number at a time', async () => {
  await using first = await startApp();
  const ada = await first.person('ada');
  for (let size = 1; size <= 3; size += 1) await storeProxied(ada, randomBytes(size));
  await first.drain();
  const root = await first.person('root', { role: 'admin' });
  await first.app[Symbol.asyncDispose]();
  await using app = await startApp({ env: modest, folder: first.folder, clock: first.clock });
  const { token } = root;
  const again = app.anonymous;
  again.token = token;
  expect(await again.call(api.triggerAttestation)).toMatchObject({ candidatesAdmitted: 2, candidatesClaimed: 2 });
  expect(await again.call(api.triggerAttestation)).toMatchObject({ candidatesAdmitted: 1, candidatesClaimed: 1 });
  await app.drain();
  await checkEverything(app);
});

test('a long backlog is processed run after run, without waiting for the next poll', {
  tags: 'long-on-postgres',
}, async () => {
  await using first = await startApp();
  const ada = await first.person('ada');
  for (let size = 1; size <= 9; size += 1) await storeProxied(ada, randomBytes(size));
  const root = await first.person('root', { role: 'admin' });
  await first.drain();
  await first.app[Symbol.asyncDispose]();
  const small = { ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '1', ATTESTATION_PRODUCTION_MAX_BATCH_SIZE: '2' };
  await using app = await startApp({ env: { ...modest, ...small }, folder: first.folder, clock: first.clock });
  app.anonymous.token = root.token;
  app.clock.advance(31_000); // the first poll
  await app.drain();
  expect(await app.anonymous.call(api.attestationStatus)).toMatchObject({ batchedCandidates: 9, readyCandidates: 0 });
});

test('every specified metric is exported and counted', { tags: 'long-on-postgres' }, async () => {
  const managementToken = 'a-management-token';
  await using app = await startApp({ env: { ...laptop, RECORDPROOF_MANAGEMENT_TOKEN: managementToken } });
  const ada = await app.person('ada');
  await storeProxied(ada, randomBytes(10));
  await app.drain();
  const scrape = await app.anonymous.fetch('/actuator/prometheus', {
    headers: { authorization: `Bearer ${managementToken}` },
  });
  const families = parseMetrics(await scrape.text());
  const value = (family: string, sample: string) => families.get(family)?.samples.get(sample);
  const counted = {
    app_attestation_candidate_total: ['{result="admitted"}', '{result="batched"}'],
    app_attestation_batch_total: ['{status="completed"}'],
    app_attestation_production_run_total: ['{result="completed"}'],
  };
  for (const [name, labels] of Object.entries(counted)) {
    for (const label of labels) expect(value(name, name + label), name + label).toBeGreaterThan(0);
  }
  for (const label of ['ready', 'dead_letter']) {
    const name = 'app_attestation_candidate_backlog';
    expect(value(name, `${name}{status="${label}"}`)).toBe(0);
  }
  expect(value('app_attestation_batch_size', 'app_attestation_batch_size_count')).toBe(1);
  expect(value('app_attestation_batch_latency_seconds', 'app_attestation_batch_latency_seconds_count')).toBe(1);
  const decision = 'app_crypto_proof_signing_decision_total';
  expect(value(decision, `${decision}{operation="sign",outcome="allowed",reason="NONE"}`)).toBe(1);
  await app.drain();
  await checkEverything(app);
});
