// A server that can be killed and started again on the same data, and a check of its data by the parent.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Config, readConfig } from '../../server/src/config/config.ts';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import { Person } from './app.ts';
import { checkEverything } from './check-everything.ts';
import { type Child, startChild } from './child.ts';
import type { ServerInput } from './children/server.ts';

export const generousRates = Object.fromEntries(
  ['AUTH', 'UPLOAD', 'DOWNLOAD', 'CHUNK', 'SHARE', 'PUBLIC_PROOF', 'PROBE', 'OTHER'].map(name => [
    `RECORDPROOF_RATE_LIMIT_${name}`,
    '1000000',
  ]),
);

const password = 'correct horse battery';

export type Installation = AsyncDisposable & {
  readonly folder: string;
  readonly config: Config;
  readonly env: Readonly<Record<string, string>>;
  /** One server on this data; the database decides whether there may be several. */
  start(aheadMs?: number): Promise<ServerProcess>;
  /** Only while no server runs. */
  checkEverything(): Promise<void>;
  /** No saga is unfinished. */
  checkAllEnded(): Promise<void>;
};

export type ServerProcess = {
  readonly child: Child;
  readonly url: string;
  /** Signed in. */
  admin(): Promise<Person>;
  /** Sends a message and waits until it is processed. */
  tell(word: string): Promise<void>;
  stop(): Promise<void>;
};

export async function newInstallation(more: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-killed-'));
  const env = {
    ...generousRates,
    RECORDPROOF_DATA: folder,
    RECORDPROOF_PORT: '0',
    RECORDPROOF_RESERVE_BYTES: '0',
    RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true', // the database alone coordinates them
    RECORDPROOF_ADMIN_USERNAME: 'alice',
    RECORDPROOF_ADMIN_EMAIL: 'alice@example.org',
    RECORDPROOF_ADMIN_PASSWORD: password,
    ...more,
  };
  const config = await readConfig([], env);
  return {
    folder,
    config,
    env,
    start: (aheadMs = 0) => startServer({ env, aheadMs }),
    checkEverything: async () => {
      const database = await openDatabase(config.db);
      try {
        await checkEverything({ config, app: { database } });
      } finally {
        await database.close();
      }
      if (config.objects.kind === 'disk') {
        expect(await readdir(join(config.objects.folder, 'temporary')), 'half-written objects').toEqual([]);
      }
    },
    checkAllEnded: async () => {
      const database = await openDatabase(config.db);
      try {
        const open = database.db.selectFrom('saga').select(['kind', 'status', 'step', 'last_error']);
        expect(await open.where('ended_at', 'is', null).execute(), 'sagas in the middle').toEqual([]);
      } finally {
        await database.close();
      }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startServer(input: ServerInput): Promise<ServerProcess> {
  const child = startChild('server.ts', input);
  const { url } = (await child.next()) as { url: string };
  const tell = async (word: string) => {
    child.send(word);
    await child.next();
  };
  return {
    child,
    url,
    admin: async () => {
      const person = new Person('alice', url);
      await person.login('alice', password);
      return person;
    },
    tell,
    stop: async () => {
      child.send('stop');
      await child.ended;
    },
  };
}
