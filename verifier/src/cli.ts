// The program recordproof-verify. Report on standard output, everything else on standard error; the exit code is the
// verdict. Opens no connection unless --online was given: the online code is not even loaded before.
import { verifyFiles } from './node/verify-files.ts';
import { parseVerifyOptions, UsageError, usage } from './options.ts';
import { toTextReport } from './report/text-report.ts';
import type { Outcome } from './verify/report.ts';
import { verifierVersion } from './version.ts';

export const exitCodes: Readonly<Record<Outcome, number>> = { VALID: 0, INVALID: 2, INDETERMINATE: 3, ERROR: 4 };
export const usageExitCode = 64;

export type Terminal = {
  stdin: AsyncIterable<Uint8Array>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown; isTTY?: boolean };
};

/** The whole command, without the program around it: `recordproof verify` mounts it. Resolves to the exit code. */
export async function runVerify(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const options = parseVerifyOptions(args);
    const { report } = await verifyFiles(options, terminal);
    terminal.stdout.write(options.format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : toTextReport(report));
    return exitCodes[report.outcome];
  } catch (problem) {
    if (problem instanceof UsageError) {
      terminal.stderr.write(`${problem.message}\nTry recordproof-verify --help\n`);
      return usageExitCode;
    }
    // A bug; its text could hold a path or a stranger's words.
    terminal.stderr.write('The verification could not be finished.\n');
    return exitCodes.ERROR;
  }
}

async function startGateway(args: readonly string[], terminal: Terminal): Promise<number> {
  const { runGateway } = await import('./gateway/run-gateway.ts');
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return await runGateway(args, terminal, stopping.signal);
}

export const wantsHelp = (args: readonly string[]): boolean => args.includes('--help') || args.includes('-h');

/** The program: `verify` is the command when none is named. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first, ...rest] = args;
  if (first === 'help' || ((first === 'verify' || first?.startsWith('-')) && wantsHelp(args))) {
    terminal.stdout.write(usage);
    return 0;
  }
  if (first === '--version') {
    terminal.stdout.write(`${verifierVersion}\n`);
    return 0;
  }
  if (first === 'gateway') return await startGateway(rest, terminal);
  if (first === 'verify') return await runVerify(rest, terminal);
  // None of these is loaded for a verification on the command line.
  if (first === 'certificate')
    return await (await import('./certificate/run-certificate.ts')).runCertificate(rest, terminal);
  if (first === 'serve') return await (await import('./web/serve.ts')).runServe(rest, terminal);
  if (first === 'page') return await (await import('./web/write-page.ts')).writePage(rest, terminal);
  if (first === undefined || first.startsWith('-')) return await runVerify(args, terminal);
  terminal.stderr.write('There is no such command.\nTry recordproof-verify --help\n');
  return usageExitCode;
}
