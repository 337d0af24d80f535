// Runs the server until a signal: the first one lets running work finish, a second one ends it at once.
import { openApp } from '../compose/app.ts';
import { readConfig } from '../config/config.ts';
import { settleMemory } from '../platform/memory.ts';
import { toBanner, toReady } from './banner.ts';

/** After the first calls of those who waited for it. */
const settledAfterMs = 2000;

const switches = ['--new', '--take-over', '--json'];

export async function serve(args: readonly string[]): Promise<number> {
  const config = await readConfig(args.filter(arg => !switches.includes(arg)));
  // After a hang-up nobody reads what is printed, and that is no reason to end before the work is done; nor is a full disk.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {});
  const stopped = nextSignal();
  const app = await openApp(config, { isNew: args.includes('--new'), isTakeOver: args.includes('--take-over') });
  setTimeout(settleMemory, settledAfterMs).unref();
  process.stdout.write(args.includes('--json') ? `${JSON.stringify(toReady(config, app))}\n` : toBanner(config, app));
  const signal = await stopped;
  process.stderr.write(`${signal}: finishing what is running (once more to stop at once)\n`);
  const impatient = nextSignal().then(() => process.exit(1));
  await Promise.race([app[Symbol.asyncDispose](), impatient]);
  return 0;
}

function nextSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
  return promise;
}
