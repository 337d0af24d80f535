// Scratch installation of a selftest: a server with the installation's key provider and its object disk or bucket, and
// with its own database, keys and ledger (decision 0312).
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openStoreAlone } from '../../compose/installation-halves.ts';
import { embeddedIn } from '../../config/backing-services.ts';
import type { Config } from '../../config/config.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { Secret } from '../../platform/secret.ts';
import {
  listSelftestFolders,
  newSelftestName,
  removeSelftest,
  selftestArea,
  sweepSelftests,
} from '../../platform/selftest-area.ts';

export type Scratch = AsyncDisposable & {
  readonly name: string;
  readonly folder: string;
  readonly config: Config;
  readonly admin: { readonly username: string; readonly password: string };
};

/** Also removes what earlier runs left behind. */
export async function makeScratch(config: Config, now: number): Promise<Scratch> {
  const name = newSelftestName();
  const folders = listSelftestFolders(config);
  await withBucket(config, bucket => sweepSelftests({ folders, bucket, now }));
  const folder = join(config.dataFolder, selftestArea, name);
  makeFolder(folder);
  const admin = { username: 'selftest', password: randomBytes(24).toString('base64url') };
  return {
    name,
    folder,
    config: toScratchConfig(config, { name, folder, admin }),
    admin,
    [Symbol.asyncDispose]: () => withBucket(config, bucket => removeSelftest(name, { folders, bucket })),
  };
}

/** An unreachable bucket is reported by its check; a later run or a server removes the leftovers. */
async function withBucket(
  config: Config,
  use: (bucket: Parameters<typeof sweepSelftests>[0]['bucket']) => Promise<unknown>,
): Promise<void> {
  if (config.objects.kind === 'disk') return void (await use(null));
  const store = await openStoreAlone(config).catch(() => null);
  if (store === null) return void (await use(null));
  await using bucket = store;
  await use(bucket).catch(() => use(null));
}

type ScratchNames = Pick<Scratch, 'name' | 'folder' | 'admin'>;

function toScratchConfig(config: Config, { name, folder, admin }: ScratchNames): Config {
  return {
    ...config,
    ...embeddedIn(folder),
    dataFolder: folder,
    keysFolder: join(folder, 'keys'),
    objects: toScratchObjects(config, name, folder),
    http: { ...config.http, host: '127.0.0.1', port: 0, publicUrl: undefined, trustedProxies: [] },
    cluster: { kind: 'memory' },
    outbox: { kind: 'local' },
    mail: { kind: 'files', folder: join(folder, 'mail'), from: config.mail.from, language: config.mail.language },
    reserveBytes: 0,
    chain: { kind: 'ledger' },
    ledger: { ...config.ledger, name: 'selftest.invalid', witnesses: [], peers: [], authorities: [], calendars: [] },
    attestation: { ...config.attestation, enabled: true, minBatchSize: 1 },
    integrity: { ...config.integrity, enabled: false, scrub: { ...config.integrity.scrub, enabled: false } },
    keyRotation: { ...config.keyRotation, enabled: false },
    accounts: {
      ...config.accounts,
      firstAdmin: { username: admin.username, email: 'selftest@example.invalid', password: new Secret(admin.password) },
    },
    tracing: { kind: 'off' },
    health: { ...config.health, mail: false },
  };
}

/** On the disk or in the bucket of the installation's objects. */
function toScratchObjects({ objects }: Config, name: string, folder: string): Config['objects'] {
  if (objects.kind === 's3') return { ...objects, prefix: `${selftestArea}${name}/` };
  const isThere = existsSync(objects.folder); // otherwise the object store's check reports it
  return { kind: 'disk', folder: isThere ? join(objects.folder, selftestArea, name) : join(folder, 'objects') };
}
