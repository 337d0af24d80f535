// Key provider check at the start: a server that cannot wrap a data key would reject every upload, so it does not
// start. If a provider that has worked here before is unavailable, the server starts, is not ready, and tries again.
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { findUnusableKeys, hasEnvelopes, type UnusableKey } from '../features/envelopes/index.ts';
import type { Platform } from '../platform/server.ts';

type Dependencies = Pick<Platform, 'database' | 'keyProvider' | 'keyProviders' | 'log'>;

export async function rejectUnusableKeys(platform: Dependencies): Promise<void> {
  const { database, keyProviders, log } = platform;
  // A provider that only a tenant's policy names fails for that tenant alone; health reports it.
  const isConfigured = (id: string): boolean => keyProviders.some(provider => provider.id === id);
  for (const unusableKey of await findUnusableKeys(platform)) {
    const { provider, keyVersion, failure } = unusableKey;
    const isAway = failure.isWorthRetrying && (await hasEnvelopes(database.db, provider));
    if (keyVersion === null && isConfigured(provider) && !isAway)
      throw new ConfigError(`${toProblem(unusableKey)}. ${remedyOf(provider)}`);
    log.error(
      { provider, keyVersion, category: failure.category, err: failure },
      'a key version is unusable; the server is not ready',
    );
  }
}

export const toProblem = ({ provider, keyVersion, failure: { message, category } }: UnusableKey): string => {
  const what = keyVersion === null ? 'cannot wrap data keys' : `cannot open data keys of version ${keyVersion}`;
  return `the key provider ${provider} ${what}: ${message} (${category})`;
};

const remedies: Readonly<Record<string, string>> = {
  local: 'Restore keys/master-keys.json from a backup, or copy it from another server of this database.',
  'vault-transit':
    'Check RECORDPROOF_VAULT_ADDRESS, RECORDPROOF_VAULT_KEY, the token and its policy (docs/guide/key-rotation.md), or choose another provider with RECORDPROOF_KEY_PROVIDER.',
  pkcs11:
    'Check RECORDPROOF_PKCS11_MODULE, RECORDPROOF_PKCS11_TOKEN, RECORDPROOF_PKCS11_KEY and the PIN (docs/guide/key-rotation.md), or choose another provider with RECORDPROOF_KEY_PROVIDER.',
};

export const remedyOf = (provider: string): string =>
  remedies[provider] ?? 'Configure it again: envelopes of stored files need it (docs/guide/key-rotation.md).';
