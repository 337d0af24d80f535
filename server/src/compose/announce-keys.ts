// Tells other servers on a shared database which master keys this one has: a new one is used once all of them have it.
import { existsSync } from 'node:fs';
import { type MasterKeyInfo, openLocalKeys } from '../platform/crypto/local-keys.ts';
import { countServersWithout, type Presence } from '../platform/db/presence.ts';
import type { Db } from '../platform/db/tables.ts';
import type { LogPort } from '../platform/log-port.ts';

/** Each time the file is asked for its age; it is read when it was changed. */
const pollMs = 1000;

type LocalKeys = Awaited<ReturnType<typeof openLocalKeys>>;
type Key = Pick<MasterKeyInfo, 'version' | 'check'>;

/** Two keys that share a version by mistake are two names. */
const nameOf = ({ version, check }: Key): string => `master key ${version} ${check}`;

export const countServersWithoutKey = (db: Db, key: Key): ReturnType<typeof countServersWithout> =>
  countServersWithout(db, nameOf(key));

type Announcing = { readonly path: string; readonly presence: Presence; readonly log: LogPort };

/** Resolves when the keys of now are announced. A file that cannot be used counts as none. */
export async function announceKeys({ path, presence, log }: Announcing): Promise<AsyncDisposable> {
  let announced = '';
  let keys: LocalKeys | undefined;
  const tell = async (): Promise<void> => {
    if (existsSync(path)) keys ??= await openLocalKeys({ path, createIfMissing: false }).catch(() => undefined);
    const names = (await keys?.listVersions().catch(() => []))?.map(nameOf) ?? [];
    if (names.join('\n') === announced) return;
    await presence.announce(names);
    announced = names.join('\n');
  };
  await tell();
  let running = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = tell()
      .catch((error: unknown) => log.warn({ err: error }, 'other servers could not be told of the master keys'))
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
