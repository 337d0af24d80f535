// Runs the server until a signal: the first one lets running work finish, a second one ends it at once.
import { openApp } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { version } from '../version.ts';

export async function serve(args: readonly string[]): Promise<number> {
  const config = await readConfig(args);
  // After a hang-up nobody reads what is printed, and that is no reason to end before the work is done.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const stopped = nextSignal();
  const app = await openApp(config);
  process.stdout.write(banner(config, app.url, app.setupCode));
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

function banner(config: Config, url: string, setupCode: string | null): string {
  const lines = [
    ['address', url],
    ['data folder', config.dataFolder],
    ['API docs', `${url}/docs`],
    ...(setupCode === null
      ? []
      : [
          ['set-up code', setupCode],
          ['first admin', `open ${url}/setup, or run: recordproof setup --server ${url}`],
        ]),
  ];
  const text = lines.map(([name = '', value = '']) => `  ${name.padEnd(12)} ${value}\n`).join('');
  return `\nRecordProof ${version} is ready (profile ${config.profile})\n${text}\n`;
}
