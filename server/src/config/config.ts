// Typed configuration from flags, environment and file; the only module that reads the process environment. It also
// cross-checks related settings. Without any setting: SQLite and disk in one folder, on loopback.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { toFirstAdmin, toRegistration } from './accounts.ts';
import { toBackupStore, toObjects, toServices } from './backing-services.ts';
import { toAttestation, toChain, toIntegrity, toLedger } from './evidence.ts';
import { reader, toGroup, toSecret } from './groups.ts';
import { toKeyProviders } from './key-providers.ts';
import { type RawConfig, readRawConfig } from './read.ts';
import { toHttp, toRates, toTracing } from './serving.ts';
import { toSingleSignOn } from './sign-in-providers.ts';
import { toLifecycles } from './suite-settings.ts';

export { ConfigError } from '@recordproof/shared/settings/read-setting.ts';

export type Config = ReturnType<typeof toConfig>;

declare module '../platform/server.ts' {
  interface Platform {
    /** The effective configuration of file, environment and flags. */
    readonly config: Config;
  }
}

function toConfig(raw: RawConfig) {
  const read = reader(raw);
  const data = resolve(read('data'));
  const rejection = rejectDataFolder(data);
  if (rejection !== null) throw new ConfigError(`the data folder ${data} cannot be used: ${rejection}.`);
  const { db, cluster, outbox, mail } = toServices(read, data);
  return {
    profile: read('profile'),
    dataFolder: data,
    keysFolder: join(data, 'keys'),
    http: toHttp(read),
    db,
    cluster,
    outbox,
    mail,
    keyProviders: toKeyProviders(raw, read),
    suites: toLifecycles(name => raw.values.get(name)),
    keyRotation: toGroup(raw, 'keyRotation'),
    objects: toObjects(raw, read, data),
    reserveBytes: read('reserveBytes'),
    backup: {
      passphrase: toSecret(read('backupPassphrase')),
      to: read('backupTo'),
      keep: read('backupKeep'),
      store: toBackupStore(raw, read),
    },
    files: toGroup(raw, 'files'),
    uploads: {
      maxFileBytes: read('filesMaxBytes'),
      maxChunkBytes: read('uploadsMaxChunkBytes'),
      sessionHours: read('uploadsSessionHours'),
      urlHours: read('uploadsUrlHours'),
    },
    quota: toGroup(raw, 'quota'),
    chain: toChain(raw, read),
    ledger: toLedger(read),
    attestation: toAttestation(raw),
    integrity: toIntegrity(raw),
    backfill: toGroup(raw, 'backfill'),
    sweep: toGroup(raw, 'sweep'),
    events: toGroup(raw, 'events'),
    accounts: {
      firstAdmin: toFirstAdmin(raw, read),
      tokenLifetimeSeconds: read('tokenLifetimeSeconds'),
      mailCodeIntervalSeconds: read('mailCodeIntervalSeconds'),
      apiTokenMaxDays: read('apiTokenMaxDays'),
      registration: read('localSignIn') ? toRegistration(read) : { mode: 'closed' as const, domains: [] },
      localSignIn: read('localSignIn'),
    },
    singleSignOn: toSingleSignOn({
      providers: read('ssoProviders'),
      secrets: read('ssoClientSecrets'),
      sessionHours: read('ssoSessionHours'),
      localSignIn: read('localSignIn'),
    }),
    ratesPerMinute: toRates(raw),
    log: { level: read('logLevel') },
    tracing: toTracing(raw, read),
    health: toGroup(raw, 'health'),
  };
}

/** The error, or null: the path, or its nearest existing parent, must be a writable folder. */
function rejectDataFolder(path: string): string | null {
  let at = path;
  try {
    while (!existsSync(at)) at = dirname(at);
    if (!statSync(at).isDirectory()) return `${at} is not a folder`;
    accessSync(at, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EROFS' ? `${at} lies on a disk that is read-only` : `${at} may not be written to (${code})`;
  }
}

/** The configuration, and the values of all settings behind it. */
export type SettingsInForce = { readonly config: Config; readonly values: RawConfig['values'] };

export async function readSettings(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<SettingsInForce> {
  const { config, raw } = await readChecked(argv, env);
  return { config, values: raw.values };
}

/** Throws if settings contradict each other. */
export async function readChecked(argv: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const raw = await readRawConfig(argv, env);
  return { raw, config: toConfig(raw) };
}

export async function readConfig(argv: readonly string[] = [], env: NodeJS.ProcessEnv = process.env): Promise<Config> {
  return (await readSettings(argv, env)).config;
}
