// Search for secrets in the output of a server process when it has ended: its output, its last metrics, its database.
// None of its secret environment, no test password and no key may occur.
import { existsSync } from 'node:fs';
import { readConfig } from '@recordproof/server/config/config.ts';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { openSecretWatch } from './secret-watch.ts';

type Watched = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
};

export type ProcessSecrets = {
  /** Additions to the environment of the process, so that its metrics can be read. */
  readonly env: Readonly<Record<string, string>>;
  write(text: string): void;
  readMetrics(url: string): Promise<void>;
  /** Call once the process has ended. */
  assertKept(): Promise<void>;
};

const tokenName = 'RECORDPROOF_MANAGEMENT_TOKEN';
const testPasswords = ['correct horse battery', 'a long password'];

export function watchProcess({ folder, env }: Watched): ProcessSecrets {
  const token = env[tokenName] ?? `watch-${'x'.repeat(40)}`;
  const watch = openSecretWatch();
  const secrets = Object.entries({ ...env, [tokenName]: token })
    .filter(([name]) => /PASSWORD|TOKEN|SECRET|_KEY$/.test(name))
    .map(([, value]) => value);
  return {
    env: { [tokenName]: token },
    write: watch.write,
    async readMetrics(url) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/actuator/prometheus`, { headers }).catch(() => null); // it may be dead already
      watch.write((await answer?.text().catch(() => '')) ?? '');
    },
    async assertKept() {
      const { db, keysFolder } = await readConfig(['--data', folder], env);
      if (db.kind === 'sqlite' && !existsSync(db.path)) return; // the test has removed it; opening would create it anew
      const database = await openDatabase(db);
      try {
        await watch.assertKept({ db: database.db, keysFolder }, [...testPasswords, ...secrets]);
      } finally {
        await database.close();
      }
    },
  };
}
