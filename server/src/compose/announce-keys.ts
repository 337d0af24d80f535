// Announcement of this server's master keys and signing keys to the others on a shared database: a new key is used once
// all of them have it.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { listSigningKeyFiles, type SigningKeyFile } from '../features/proofs/index.ts';
import { type MasterKeyInfo, openLocalKeys } from '../platform/crypto/local-keys.ts';
import { countServersWithout, type Presence } from '../platform/db/presence.ts';
import type { Db } from '../platform/db/tables.ts';
import type { LogPort } from '../platform/log-port.ts';

/** Interval at which the file's age is checked; it is read again after a change. */
const pollMs = 1000;

type LocalKeys = Awaited<ReturnType<typeof openLocalKeys>>;
type Key = Pick<MasterKeyInfo, 'version' | 'check'>;

/** The check value distinguishes two keys with the same version. */
const nameOf = ({ version, check }: Key): string => `master key ${version} ${check}`;

const nameOfWrapping = (key: Key): string => `wrapping ${nameOf(key)}`;

/** Number of running servers that still wrap with the key: each may have a key file of its own. */
export async function countServersWrappingWith(db: Db, key: Key): Promise<number> {
  const { servers, without } = await countServersWithout(db, nameOfWrapping(key));
  return servers - without;
}

export const countServersWithoutKey = (db: Db, key: Key): ReturnType<typeof countServersWithout> =>
  countServersWithout(db, nameOf(key));

const nameOfSigningKey = ({ version, fingerprint }: SigningKeyFile): string => `signing key ${version} ${fingerprint}`;

export const countServersWithoutSigningKey = (db: Db, key: SigningKeyFile): ReturnType<typeof countServersWithout> =>
  countServersWithout(db, nameOfSigningKey(key));

type Announcing = { readonly path: string; readonly presence: Presence; readonly log: LogPort };

/** Resolves once the current keys are announced. An unusable file counts as none. */
export async function announceKeys({ path, presence, log }: Announcing): Promise<AsyncDisposable> {
  let announced = '';
  let keys: LocalKeys | undefined;
  const announce = async (): Promise<void> => {
    if (existsSync(path)) keys ??= await openLocalKeys({ path, createIfMissing: false }).catch(() => undefined);
    const masterKeys = (await keys?.listVersions().catch(() => [])) ?? [];
    const signingKeys = await listSigningKeyFiles(dirname(path)).catch(() => []);
    const wrapping = masterKeys.filter(({ state }) => state === 'ACTIVE').map(nameOfWrapping);
    const names = [...masterKeys.map(nameOf), ...wrapping, ...signingKeys.map(nameOfSigningKey)];
    if (names.join('\n') === announced) return;
    await presence.announce(names);
    announced = names.join('\n');
  };
  await announce();
  let running = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = announce()
      .catch((error: unknown) => log.warn({ err: error }, 'failed to announce the master keys to other servers'))
      .finally(() => {
        isRunning = false;
      });
  }, pollMs).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
