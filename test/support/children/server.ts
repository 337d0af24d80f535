// A whole server in a process of its own, for tests that kill it. On the message "die <n>" it is killed at the n-th
// commit from then on, after the database has made it durable and before the server knows it.
import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import { openApp } from '../../../server/src/compose/app.ts';
import { readConfig } from '../../../server/src/config/config.ts';
import { silentLog } from '../../../server/src/platform/telemetry/log.ts';
import { childInput, dieHere, tell } from '../child.ts';
import { watchesSecrets } from '../engines.ts';
import { openSecretWatch } from '../secret-watch.ts';

export type ServerInput = {
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds by which the clock of this server is ahead. */
  readonly aheadMs: number;
};

let left = Number.POSITIVE_INFINITY;

function durable(): void {
  left -= 1;
  if (left === 0) dieHere();
}

type Run = (this: Database.Statement, ...parameters: unknown[]) => Database.RunResult | unknown[];

function watchSqlite(): void {
  const statement = new Database(':memory:').prepare('select 1');
  const prototype = Object.getPrototypeOf(statement) as Record<'run' | 'all', Run>;
  for (const name of ['run', 'all'] as const) {
    const original = prototype[name];
    prototype[name] = function (...parameters) {
      const result = original.apply(this, parameters);
      const changed = !this.readonly && (Array.isArray(result) ? result.length > 0 : result.changes > 0);
      if ((changed || this.source === 'commit') && !this.database.inTransaction) durable();
      return result;
    };
  }
}

type Message = { readonly text?: string; readonly status?: string };
type Connection = { emit(name: string, message?: Message): boolean; lastCommand?: string };

function watchPostgres(): void {
  const require = createRequire(import.meta.url);
  const { prototype } = require('pg/lib/connection') as { prototype: Connection };
  const { emit } = prototype;
  prototype.emit = function (name, message) {
    if (name === 'commandComplete') this.lastCommand = message?.text ?? '';
    const wrote = /^(COMMIT|INSERT|UPDATE|DELETE)(?! 0| 0 0)/.test(this.lastCommand ?? '');
    if (name === 'readyForQuery' && message?.status === 'I' && wrote) durable();
    return emit.call(this, name, message);
  };
}

const { env, aheadMs } = childInput<ServerInput>();
watchSqlite();
watchPostgres();
const config = await readConfig([], env);
const watch = watchesSecrets ? openSecretWatch() : undefined;
const app = await openApp(config, { log: watch?.log ?? silentLog, clock: { now: () => Date.now() + aheadMs } });
const checkSecrets = async () => {
  const password = env.RECORDPROOF_ADMIN_PASSWORD ?? '';
  await watch?.assertKept({ db: app.database.db, keysFolder: config.keysFolder }, [password]);
};
tell({ url: app.url });
process.on('message', async message => {
  const [word, count] = String(message).split(' ');
  if (word === 'die') left = Number(count);
  if (word === 'drain') await app.drain();
  if (word === 'secrets') await checkSecrets();
  if (word === 'stop') {
    await checkSecrets();
    await app[Symbol.asyncDispose]();
    process.exit(0);
  }
  tell(word);
});
