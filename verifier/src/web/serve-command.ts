// The command `recordproof-verify serve`: settings from the environment, the service, and its shutdown. Does not start
// with incomplete settings. The first signal lets running verifications finish, the second ends at once.
import { once } from 'node:events';
import { value } from '@recordproof/shared/command-line/command.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { openOnlineEvidence } from '../online/online-evidence.ts';
import { readArguments } from '../shell/arguments.ts';
import { usageExitCode } from '../shell/exit-codes.ts';
import type { Command } from '../shell/run-command.ts';
import { systemCodeOf, type Terminal } from '../shell/terminal.ts';
import { openPages } from './page/pages.ts';
import { openVerifierService } from './service.ts';
import { describeSettings, readServiceSettings, type ServiceSettings } from './settings.ts';

const serveDeclaration = {
  path: 'serve',
  summary: 'Serves the verification page and POST /api/v1/verify',
  options: {
    host: value('ADDRESS', 'in place of VERIFIER_HOST'),
    port: value('N', 'in place of VERIFIER_PORT'),
  },
  notes: `Settings are environment variables; sizes such as 500MB or 1GB, times such as 100ms, 3s or 1m. Defaults stand beside
them, in bytes and milliseconds:

${describeSettings('service')}

Online mode, which VALID needs; the first four are needed together:
${describeSettings('online')}

Uploads lie in the folder for temporary files (TMPDIR) without a name until they have been checked. It should have
room for VERIFIER_MULTIPART_MAX_REQUEST_SIZE times VERIFIER_MAX_CONCURRENT times 2.
`,
} as const;

const signals = ['SIGINT', 'SIGTERM'] as const;

type ServeTerminal = Pick<Terminal, 'stdout' | 'stderr'>;

/** Resolves to the exit code when the service has ended. */
async function runServe(args: readonly string[], terminal: ServeTerminal): Promise<number> {
  const { host, port } = readArguments(args, serveDeclaration).options;
  const own = { ...(host && { VERIFIER_HOST: host }), ...(port && { VERIFIER_PORT: port }) };
  try {
    await serve(readServiceSettings({ ...process.env, ...own }), terminal);
    return 0;
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    terminal.stderr.write(`${problem.message}\n`);
    return usageExitCode;
  }
}

async function serve(settings: ServiceSettings, terminal: ServeTerminal): Promise<void> {
  const { online } = settings;
  const live = online === undefined ? undefined : openOnlineEvidence(online, online);
  const log = (line: string) => terminal.stderr.write(`${new Date().toISOString()} ${line}\n`);
  const loadPage = async () => {
    const { buildPage } = await import('./page/build-page.ts');
    return await buildPage().catch(problem => {
      log('the page could not be built; were the packages for development installed? npm run setup does that');
      throw problem;
    });
  };
  await using service = await openVerifierService({
    settings,
    live,
    log,
    pages: openPages(loadPage, online !== undefined),
  });
  terminal.stdout.write(
    `RecordProof verifier at ${service.url} (online mode ${online === undefined ? 'off' : 'on'})\n`,
  );
  if (settings.maxRequestBytes <= settings.maxOriginalBytes)
    log('VERIFIER_MULTIPART_MAX_REQUEST_SIZE leaves no room for an original of the largest allowed size');
  const stop = new AbortController();
  await Promise.race(signals.map(signal => once(process, signal, { signal: stop.signal })));
  // Without a listener, the next signal ends the process at once.
  stop.abort();
  log('stopping');
}

/** Only the code of a system error: its message may contain a path. */
function toSentence(problem: unknown): string {
  const code = systemCodeOf(problem);
  if (code === 'EADDRINUSE') return 'The service could not start: its port is taken. Set VERIFIER_PORT to another one.';
  if (code === 'EACCES')
    return 'The service could not start: it may not use that port. Set VERIFIER_PORT to another one.';
  return `The service could not be run${code === '' ? '' : ` (${code})`}.`;
}

export const serveCommand: Command = { declaration: serveDeclaration, run: runServe, describeFailure: toSentence };
