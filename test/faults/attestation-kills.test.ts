// Repeated kills of a server while it batches, anchors and signs: in the end every file has exactly one proof.
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { attestationStatus } from '@recordproof/shared/api/attestation.ts';
import { expect, test } from 'vitest';
import { checkFolder, type ProvingServer, startProvingServer } from '../support/proving-server.ts';
import { checkInPython, exportProof, fetchTrustedKey } from '../support/real-proofs.ts';
import { sendFile } from '../support/uploads.ts';

const rounds = Number(process.env.KILLS ?? 20);
const env = {
  RECORDPROOF_PROFILE: 'laptop',
  ATTESTATION_PRODUCTION_POLL_INTERVAL_MS: '1000',
  ATTESTATION_PRODUCTION_INITIAL_DELAY_MS: '0',
  ATTESTATION_PRODUCTION_CLAIM_LEASE_SECONDS: '5',
  ATTESTATION_PRODUCTION_CANDIDATE_MAX_ATTEMPTS: '100',
  ATTESTATION_PRODUCTION_MAX_BATCH_SIZE: '3',
};

type Stored = { readonly fileId: string; readonly bytes: Buffer };

/** Sends files until the server dies; the acknowledged ones count. */
async function storeUntilDeath(server: ProvingServer, stored: Stored[]): Promise<void> {
  for (;;) {
    const bytes = randomBytes(200);
    const answer = await sendFile(server.root, bytes).catch(() => null);
    if (answer === null) return;
    if (answer.status === 200) stored.push({ fileId: answer.data.fileId, bytes });
  }
}

test('every acknowledged file gets one proof, whenever the server is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-killed-'));
  const stored: Stored[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      await using server = await startProvingServer(folder, env);
      const before = stored.length;
      const storing = Promise.all(Array.from({ length: 3 }, () => storeUntilDeath(server, stored)));
      await expect.poll(() => stored.length, { timeout: 120_000, interval: 5 }).toBeGreaterThan(before);
      await pass(randomInt(0, 1000));
      process.kill(server.pid, 'SIGKILL');
      await storing;
    }
    await using server = await startProvingServer(folder, env);
    const isDone = async () => {
      const { readyCandidates, claimedCandidates, dueBatches } = await server.root.call(attestationStatus);
      return readyCandidates + claimedCandidates + dueBatches;
    };
    await expect.poll(isDone, { timeout: 120_000, interval: 500 }).toBe(0);
    for (const { fileId, bytes } of stored) {
      const archive = await expect
        .poll(() => exportProof(server.root, fileId).catch(() => null), { timeout: 120_000, interval: 200 })
        .not.toBeNull()
        .then(() => exportProof(server.root, fileId));
      checkInPython(bytes, archive, await fetchTrustedKey(server.url, archive));
    }
    await server[Symbol.asyncDispose]();
    expect(stored.length).toBeGreaterThanOrEqual(rounds);
    expect((await checkFolder(folder, {})).proofs).toBeGreaterThanOrEqual(stored.length);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
