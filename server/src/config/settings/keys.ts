// Settings of the key providers that wrap file keys, and of key rotation.
import {
  matching,
  milliseconds,
  oneOf,
  settingsOf,
  text,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { webAddress } from '../validation.ts';

const keys = settingsOf('keys');

export const keySettings = {
  keyProvider: keys(
    'key-provider',
    oneOf('local', 'vault-transit', 'pkcs11').default('local'),
    'provider that wraps file keys: local (a key file in the data folder), vault-transit (Vault or OpenBao), pkcs11 (a hardware security module)',
  ),
  vaultAddress: keys(
    'vault-address',
    webAddress.optional(),
    'address of the Vault or OpenBao server that wraps file keys, now or earlier',
  ),
  vaultKey: keys(
    'vault-key',
    matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'must be the name of a key').optional(),
    'name of the transit key in Vault, of type aes256-gcm96 with derived=true',
  ),
  vaultMount: keys(
    'vault-mount',
    matching(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*$/, 'must be the path of a mount').default('transit'),
    'mount path of the transit engine in Vault',
  ),
  vaultNamespace: keys(
    'vault-namespace',
    matching(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*\/?$/, 'must be the path of a namespace').optional(),
    'Vault namespace, where namespaces are used',
  ),
  vaultToken: keys(
    'vault-token',
    matching(/^[\x21-\x7e]+$/, 'must be a token without spaces').optional(),
    'Vault token; renewed as long as it is renewable',
    { secret: true },
  ),
  vaultTokenFile: keys(
    'vault-token-file',
    text.optional(),
    'file with the Vault token, reread when it changes; instead of vault-token',
  ),
  vaultTimeoutMs: keys('vault-timeout-ms', milliseconds(5000, 100, 60_000), 'timeout of calls to Vault'),
  pkcs11Module: keys(
    'pkcs11-module',
    text.optional(),
    'PKCS#11 library of the hardware security module that wraps file keys, now or earlier',
  ),
  pkcs11Token: keys('pkcs11-token', text.optional(), 'label of the PKCS#11 token'),
  pkcs11Key: keys(
    'pkcs11-key',
    text.optional(),
    'label of the AES keys in the PKCS#11 token; the key with the highest id wraps',
  ),
  pkcs11Pin: keys(
    'pkcs11-pin',
    matching(/^[\x21-\x7e]+$/, 'must be a PIN without spaces').optional(),
    'user PIN of the PKCS#11 token',
    { secret: true },
  ),
  pkcs11PinFile: keys('pkcs11-pin-file', text.optional(), 'file with the PIN, instead of pkcs11-pin'),
  pkcs11TimeoutMs: keys('pkcs11-timeout-ms', milliseconds(5000, 100, 60_000), 'timeout of calls to the PKCS#11 module'),

  keyRotationEnabled: keys(
    'key.rotation.enabled',
    yesOrNo.default(false),
    'run key rotations; false: they can only be planned',
  ),
  keyRotationPollMs: keys(
    'key.rotation.poll-interval-ms',
    milliseconds(30_000, 1000, 3_600_000),
    'poll interval of key rotations',
  ),
  keyRotationInitialDelayMs: keys(
    'key.rotation.initial-delay-ms',
    milliseconds(30_000, 0, 3_600_000),
    'delay between the start of the server and the first poll',
  ),
  keyRotationMaxTenantsPerPoll: keys(
    'key.rotation.max-tenants-per-poll',
    wholeNumber(1, 10_000).default(100),
    'maximum number of tenants per poll',
  ),
};
