// `serve`: runs the server until a signal: the first lets running work finish, a second ends it at once. SIGHUP reloads
// the settings.
import { openApp } from '../compose/app.ts';
import { openReload } from '../compose/reload-settings.ts';
import { readSettings } from '../config/config.ts';
import { limitHeapGrowthSoon } from '../platform/memory.ts';
import { toBanner, toReady } from './banner.ts';

const switches = ['--new', '--take-over', '--json'];

export async function serve(args: readonly string[]): Promise<number> {
  const configArgs = args.filter(arg => !switches.includes(arg));
  const settings = await readSettings(configArgs);
  const { config } = settings;
  // Output errors are ignored: neither a closed terminal nor a full disk may end the server.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {});
  const stopped = nextSignal();
  const hangUps = listenForHangUps();
  const app = await openApp(config, { isNew: args.includes('--new'), isTakeOver: args.includes('--take-over') });
  hangUps.tell(openReload(app.server, settings, () => readSettings(configArgs)));
  limitHeapGrowthSoon();
  process.stdout.write(args.includes('--json') ? `${JSON.stringify(toReady(config, app))}\n` : toBanner(config, app));
  const signal = await stopped;
  process.stderr.write(`${signal}: finishing what is running (once more to stop at once)\n`);
  const impatient = nextSignal().then(() => process.exit(1));
  await Promise.race([app[Symbol.asyncDispose](), impatient]);
  return 0;
}

function nextSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  return promise;
}

/** Registered at once, so that SIGHUP never ends the server; one that arrives during the start is handled after it. */
function listenForHangUps() {
  let reload: (() => Promise<void>) | undefined;
  let isMissed = false;
  process.on('SIGHUP', () => {
    if (reload === undefined) isMissed = true;
    else void reload();
  });
  return {
    tell: (opened: () => Promise<void>): void => {
      reload = opened;
      if (isMissed) void opened();
    },
  };
}
