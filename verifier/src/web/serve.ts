// The command `recordproof-verify serve`: settings from the environment, the service, and its orderly end. Refuses to
// start half configured. The first signal lets running verifications finish, the second does not wait.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { Terminal } from '../cli.ts';
import { openOnlineEvidence } from '../online/online-evidence.ts';
import { UsageError } from '../options.ts';
import { openPages } from './page/pages.ts';
import { openVerifierService } from './service.ts';
import { readServiceSettings, type ServiceSettings } from './settings.ts';

const usageExitCode = 64;
const failureExitCode = 4;
const signals = ['SIGINT', 'SIGTERM'] as const;

export type ServeTerminal = Pick<Terminal, 'stdout' | 'stderr'>;

/** Resolves to the exit code when the service has ended. */
export async function runServe(args: readonly string[], terminal: ServeTerminal): Promise<number> {
  try {
    if (wantsHelp(args)) {
      terminal.stdout.write(serveUsage);
      return 0;
    }
    await serve(readServiceSettings(process.env), terminal);
    return 0;
  } catch (problem) {
    if (problem instanceof UsageError) {
      terminal.stderr.write(`${problem.message}\n`);
      return usageExitCode;
    }
    terminal.stderr.write(`${toSentence(problem)}\n`);
    return failureExitCode;
  }
}

function wantsHelp(args: readonly string[]): boolean {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } } });
    return values.help === true;
  } catch {
    throw new UsageError('serve takes no options: its settings are environment variables; see serve --help');
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
  // With no listener left, the next signal ends the process at once.
  stop.abort();
  log('stopping');
}

/** Of the system's reasons only the code: a message may hold a path. */
function toSentence(problem: unknown): string {
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
  if (code === 'EADDRINUSE') return 'The service could not start: its port is taken. Set VERIFIER_PORT to another one.';
  if (code === 'EACCES')
    return 'The service could not start: it may not use that port. Set VERIFIER_PORT to another one.';
  return `The service could not be run${code === '' ? '' : ` (${code})`}.`;
}

const serveUsage = `Serves the verification page and POST /api/v1/verify.

  recordproof-verify serve

Settings are environment variables; sizes such as 500MB or 1GB, times such as 100ms, 3s or 1m:

  VERIFIER_HOST                        127.0.0.1   address to listen on; 0.0.0.0 for all
  VERIFIER_PORT                        8093        0 takes any free port
  VERIFIER_MAX_ORIGINAL_FILE_BYTES     1073741824  largest original
  VERIFIER_MULTIPART_MAX_FILE_SIZE     1GB         largest file of any kind; the smaller of the two counts
  VERIFIER_MULTIPART_MAX_REQUEST_SIZE  1100MB      largest request; raise it together with the file limit
  VERIFIER_MAX_CONCURRENT              4           verifications at the same time
  VERIFIER_ACQUIRE_TIMEOUT             100ms       how long a request waits for a place
  VERIFIER_RATE_LIMIT_REQUESTS         20          per window and socket address
  VERIFIER_RATE_LIMIT_WINDOW           1m
  VERIFIER_RATE_LIMIT_MAX_CLIENTS      10000       addresses that are remembered

Online mode, which VALID needs; the first four are needed together:
  VERIFIER_ONLINE_ENABLED              false
  VERIFIER_ISSUER_BASE_URI                         where the issuer answers
  VERIFIER_CHAIN_URL_TEMPLATE                      where the chain answers; with {chainType}, {chainId},
                                                   {groupId}, {contractAddress} and {batchNo}
  VERIFIER_ALLOWED_HOSTS                           exact hosts with commas between them
  VERIFIER_CONNECT_TIMEOUT             3s
  VERIFIER_REQUEST_TIMEOUT             5s
  VERIFIER_ALLOW_HTTP                  false       tests only
  VERIFIER_ALLOW_PRIVATE_ADDRESSES     false       tests only

Uploads lie in the folder for temporary files (TMPDIR) without a name until they have been checked. It should have
room for VERIFIER_MULTIPART_MAX_REQUEST_SIZE times VERIFIER_MAX_CONCURRENT times 2.
`;
