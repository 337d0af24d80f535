// Settings of the key providers that wrap file keys, and of key rotation.
import {
  define,
  milliseconds,
  oneOf,
  text,
  textThat,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { webAddress } from '../addresses.ts';

const matching = (form: RegExp, why: string) => textThat(value => (form.test(value) ? null : why));

export const keySettings = {
  keyProvider: define(
    'keys',
    'key-provider',
    oneOf('local', 'vault-transit', 'pkcs11').default('local'),
    'what wraps the keys of files: local, a key file beside the server; vault-transit, a Vault or OpenBao server; pkcs11, a hardware module',
  ),
  vaultAddress: define(
    'keys',
    'vault-address',
    webAddress.optional(),
    'address of a Vault or OpenBao server that wraps keys of files, or did so before',
  ),
  vaultKey: define(
    'keys',
    'vault-key',
    matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'must be the name of a key').optional(),
    'its transit key, of type aes256-gcm96 with derived=true',
  ),
  vaultMount: define(
    'keys',
    'vault-mount',
    matching(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*$/, 'must be the path of a mount').default('transit'),
    'where its transit engine is mounted',
  ),
  vaultNamespace: define(
    'keys',
    'vault-namespace',
    matching(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*\/?$/, 'must be the path of a namespace').optional(),
    'its namespace, where it has them',
  ),
  vaultToken: define(
    'keys',
    'vault-token',
    matching(/^[\x21-\x7e]+$/, 'must be a token without spaces').optional(),
    'token for it; renewed while it can be',
    { secret: true },
  ),
  vaultTokenFile: define(
    'keys',
    'vault-token-file',
    text.optional(),
    'file with the token, read again whenever it changes; in place of vault-token',
  ),
  vaultTimeoutMs: define('keys', 'vault-timeout-ms', milliseconds(5000, 100, 60_000), 'how long it may take to answer'),
  pkcs11Module: define(
    'keys',
    'pkcs11-module',
    text.optional(),
    'PKCS#11 library of a hardware module that wraps keys of files, or did so before',
  ),
  pkcs11Token: define('keys', 'pkcs11-token', text.optional(), 'label of its token'),
  pkcs11Key: define(
    'keys',
    'pkcs11-key',
    text.optional(),
    'label of its AES keys, of which the one with the highest id wraps',
  ),
  pkcs11Pin: define(
    'keys',
    'pkcs11-pin',
    matching(/^[\x21-\x7e]+$/, 'must be a PIN without spaces').optional(),
    'PIN of its user',
    { secret: true },
  ),
  pkcs11PinFile: define('keys', 'pkcs11-pin-file', text.optional(), 'file with the PIN, in place of pkcs11-pin'),
  pkcs11TimeoutMs: define(
    'keys',
    'pkcs11-timeout-ms',
    milliseconds(5000, 100, 60_000),
    'how long the module may take to answer',
  ),

  keyRotationEnabled: define(
    'keys',
    'key.rotation.enabled',
    yesOrNo.default(false),
    'work on key rotations; without it they can be planned only',
  ),
  keyRotationPollMs: define(
    'keys',
    'key.rotation.poll-interval-ms',
    milliseconds(30_000, 1000, 3_600_000),
    'pause between two looks for key rotations',
  ),
  keyRotationInitialDelayMs: define(
    'keys',
    'key.rotation.initial-delay-ms',
    milliseconds(30_000, 0, 3_600_000),
    'delay before the first check',
  ),
  keyRotationMaxTenantsPerPoll: define(
    'keys',
    'key.rotation.max-tenants-per-poll',
    wholeNumber(1, 10_000).default(100),
    'maximum number of tenants per check',
  ),
};
