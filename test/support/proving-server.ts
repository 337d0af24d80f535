// Server processes that make proofs, with a signed-in account, for tests with races and kills.

import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { eventKind } from '@recordproof/server/platform/outbox/outbox.ts';
import { login } from '@recordproof/shared/api/auth.ts';
import { expect } from 'vitest';
import { readConfig } from '../../server/src/config/config.ts';
import { Person } from './app.ts';
import { type AttestationCounts, checkAttestation } from './attestation-truth.ts';
import { openChainTruth } from './chain-truth.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

const password = 'correct horse battery';

const common = {
  RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true', // the database alone coordinates them
  RECORDPROOF_ADMIN_USERNAME: 'root',
  RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
  RECORDPROOF_ADMIN_PASSWORD: password,
  ...Object.fromEntries(
    ['AUTH', 'UPLOAD', 'DOWNLOAD', 'CHUNK', 'PUBLIC_PROOF', 'PROBE', 'OTHER'].map(name => [
      `RECORDPROOF_RATE_LIMIT_${name}`,
      '1000000',
    ]),
  ),
};

export type ProvingServer = ServerProcess & { readonly root: Person };

export async function startProvingServer(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ProvingServer> {
  const server = await startServerProcess({ folder, env: { ...common, ...env } });
  const root = new Person('root', server.url);
  const { token } = await root.call(login, { body: { username: 'root', password } });
  root.token = token;
  return { ...server, root };
}

/** Waits until no work of earlier calls is due any more; the server may run. */
export async function untilFollowed(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const config = await readConfig(['--data', folder], env);
  const database = await openDatabase(config.db);
  const countDue = async () =>
    (await database.db.selectFrom('job').select('id').where('kind', '=', eventKind).execute()).length;
  try {
    await expect.poll(countDue, { timeout: 60_000 }).toBe(0);
  } finally {
    await database.close();
  }
}

/** Opens the database of a stopped server, or of several that share one. */
export async function checkFolder(folder: string, env: Readonly<Record<string, string>>): Promise<AttestationCounts> {
  const config = await readConfig(['--data', folder], env);
  const database = await openDatabase(config.db);
  try {
    return await checkAttestation(database.db, openChainTruth(config, database.db));
  } finally {
    await database.close();
  }
}
