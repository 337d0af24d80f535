// Key rotations for tests: calls over HTTP, and checks in the database afterwards.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { masterKeyFile, openLocalKeys } from '@recordproof/server/platform/crypto/local-keys.ts';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import type { Person, TestApp } from './app.ts';
import type { StartApp } from './each-app.ts';
import type { TransitDouble } from './transit-double.ts';
import { storeProxied } from './uploads.ts';

export const rotating = { KEY_ROTATION_ENABLED: 'true' };
export const vaultToken = 'hvs.a-token-of-a-test';

export const masterKeysOf = ({ config }: TestApp) =>
  openLocalKeys({ path: join(config.keysFolder, masterKeyFile), createIfMissing: false });

export const toLocal = (keyVersion: string, more: object = {}) => ({
  body: {
    expectedProvider: 'local',
    expectedProviderContract: 1,
    expectedProviderKeyVersion: keyVersion,
    targetLogicalKeyVersion: 2,
    gracePeriodSeconds: 60,
    ...more,
  },
});

export const beginRotation = (root: Person, mode: 'DRY_RUN' | 'APPLY', requestId = `${mode}-1`) =>
  root.call(api.startKeyRotation, { body: { mode, requestId } });

export const readRotation = (root: Person, { runId }: { runId: string }) =>
  root.call(api.getKeyRotation, { params: { runId } });

export const listItems = async (root: Person, { runId }: { runId: string }) =>
  (await root.call(api.listKeyRotationItems, { params: { runId }, query: { limit: 100 } })).records;

export const listEnvelopes = ({ app }: TestApp) =>
  app.database.db.selectFrom('envelope').selectAll().orderBy('id').execute();

export async function download(person: Person, fileHash: string): Promise<Buffer> {
  const answer = await person.fetch(downloadFile.path.replace('{hash}', fileHash));
  return Buffer.from(await answer.arrayBuffer());
}

type VaultWorld = {
  readonly files?: number;
  readonly policy?: object;
  readonly env?: Readonly<Record<string, string>>;
};

/** A tenant with files under version 1 of a key service's key, where 2 is current and a policy requires it. */
export async function openVaultWorld(
  start: StartApp,
  vault: TransitDouble,
  { files = 1, policy, env }: VaultWorld = {},
) {
  const app = await start({
    env: {
      ...rotating,
      RECORDPROOF_KEY_PROVIDER: 'vault-transit',
      RECORDPROOF_VAULT_ADDRESS: vault.address,
      RECORDPROOF_VAULT_KEY: 'files',
      RECORDPROOF_VAULT_TOKEN: vaultToken,
      ...env,
    },
  });
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  const stored = new Map<string, Buffer>();
  for (let count = 0; count < files; count += 1) {
    const bytes = randomBytes(500);
    stored.set((await storeProxied(ada, bytes)).fileHash, bytes);
  }
  await app.drain();
  vault.rotate('files');
  const { body } = toLocal('2', { expectedProvider: 'vault-transit', ...policy });
  await root.call(api.putKeyRotationPolicy, { body });
  return { app, ada, root, stored, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}
