// Two server processes over one PostgreSQL, fifty administrators at once.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attestationStatus, triggerAttestation } from '@recordproof/shared/api/attestation.ts';
import { afterAll, expect, test } from 'vitest';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { checkFolder, startProvingServer, untilFollowed } from '../support/proving-server.ts';
import { sendFile } from '../support/uploads.ts';

afterAll(stopPostgres);

const files = 120;

test('fifty triggers at two servers attest every file in exactly one batch, and write each batch once', {
  timeout: 300_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-two-'));
  const { url, drop } = await (await postgres()).freshDatabase();
  const shared = { DATABASE_URL: url };
  try {
    await using off = await startProvingServer(folder, shared);
    for (let index = 0; index < files; index += 1) {
      expect((await sendFile(off.root, randomBytes(30), `${index}.bin`)).status).toBe(200);
    }
    await untilFollowed(folder, shared); // else the next server admits what this one has left
    await off[Symbol.asyncDispose]();
    const env = {
      ...shared,
      ATTESTATION_PRODUCTION_ENABLED: 'true',
      ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '5',
      ATTESTATION_PRODUCTION_MAX_BATCH_SIZE: '5',
      ATTESTATION_PRODUCTION_INITIAL_DELAY_MS: '3600000',
      ATTESTATION_PRODUCTION_POLL_INTERVAL_MS: '3600000',
    };
    await using one = await startProvingServer(folder, env);
    await using two = await startProvingServer(folder, env);
    const runs = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? one : two).root.call(triggerAttestation)),
    );
    const sum = (pick: (run: (typeof runs)[number]) => number) => runs.reduce((total, run) => total + pick(run), 0);
    expect(sum(run => run.candidatesAdmitted)).toBe(files);
    expect(sum(run => run.candidatesClaimed)).toBe(files);
    expect(sum(run => run.batchesCreated)).toBe(sum(run => run.batchesCompleted));
    expect(await one.root.call(attestationStatus)).toMatchObject({
      readyCandidates: 0,
      claimedCandidates: 0,
      batchedCandidates: files,
      dueBatches: 0,
    });
    await expect
      .poll(async () => (await checkFolder(folder, shared).catch(() => null))?.proofs, { timeout: 120_000 })
      .toBe(files);
    expect(await checkFolder(folder, shared)).toMatchObject({
      candidates: files,
      batches: sum(run => run.batchesCreated),
    });
  } finally {
    await drop();
    await rm(folder, { recursive: true, force: true });
  }
});
