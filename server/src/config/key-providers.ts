// Configuration of the key providers: each is configured completely or not at all. The active one, which wraps new
// keys, must be configured.
import { resolve } from 'node:path';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import type { KeyProviderOptions } from '../platform/crypto/open-key-providers.ts';
import type { SecretSource } from '../platform/crypto/secret-file.ts';
import { type Read, together, toSecret } from './groups.ts';
import type { RawConfig } from './read.ts';
import { type SettingName, settings } from './settings.ts';

export function toKeyProviders(raw: RawConfig, read: Read): KeyProviderOptions {
  const active = read('keyProvider');
  const options = { active, vault: toVault(raw, read), pkcs11: toPkcs11(raw, read) };
  const missing = (what: string, env: string) =>
    new ConfigError(`${settings.keyProvider.key} is "${active}", but no ${what} is configured (${env}).`);
  if (active === 'vault-transit' && options.vault === null) throw missing('key service', settings.vaultAddress.env);
  if (active === 'pkcs11' && options.pkcs11 === null) throw missing('hardware module', settings.pkcs11Module.env);
  return options;
}

function toVault(raw: RawConfig, read: Read): KeyProviderOptions['vault'] {
  const isSetUp = together(raw, 'the key service', 'vaultAddress', 'vaultKey');
  const token = toSecretOf(
    read,
    { group: 'the key service', isSetUp, needs: 'vaultAddress' },
    'vaultToken',
    'vaultTokenFile',
  );
  if (token === null) return null;
  return {
    address: (read('vaultAddress') ?? '').replace(/\/+$/, ''),
    key: read('vaultKey') ?? '',
    mount: read('vaultMount'),
    namespace: read('vaultNamespace'),
    token,
    timeoutMs: read('vaultTimeoutMs'),
  };
}

function toPkcs11(raw: RawConfig, read: Read): KeyProviderOptions['pkcs11'] {
  const isSetUp = together(raw, 'the hardware module', 'pkcs11Module', 'pkcs11Token', 'pkcs11Key');
  const pin = toSecretOf(
    read,
    { group: 'the hardware module', isSetUp, needs: 'pkcs11Module' },
    'pkcs11Pin',
    'pkcs11PinFile',
  );
  if (pin === null) return null;
  return {
    module: resolve(read('pkcs11Module') ?? ''),
    token: read('pkcs11Token') ?? '',
    key: read('pkcs11Key') ?? '',
    pin,
    timeoutMs: read('pkcs11TimeoutMs'),
  };
}

type SecretGroup = { readonly group: string; readonly isSetUp: boolean; readonly needs: SettingName };

/** From a setting or a file: exactly one of them if the group is set up, otherwise neither. */
function toSecretOf(
  read: Read,
  { group, isSetUp, needs }: SecretGroup,
  value: 'vaultToken' | 'pkcs11Pin',
  file: 'vaultTokenFile' | 'pkcs11PinFile',
): SecretSource | null {
  const secret = toSecret(read(value));
  const path = read(file);
  const [byValue, byFile] = [settings[value].env, settings[file].env];
  if (secret !== undefined && path !== undefined)
    throw new ConfigError(`${byValue} and ${byFile} are both set; one is enough.`);
  const isGiven = secret !== undefined || path !== undefined;
  if (isGiven && !isSetUp) throw new ConfigError(`${byValue} or ${byFile} is set, but ${settings[needs].env} is not.`);
  if (!isGiven && isSetUp)
    throw new ConfigError(`${group} is configured incompletely: ${byValue} or ${byFile} is missing.`);
  if (secret !== undefined) return { kind: 'value', reveal: () => secret.reveal() };
  return path === undefined ? null : { kind: 'file', path: resolve(path) };
}
