// The command `recordproof-verify [verify]`: from its arguments to the report on standard output.
import { answerExistence } from './existence/answer-existence.ts';
import { describeExistence } from './existence/describe-existence.ts';
import { existenceToText } from './existence/plain-text.ts';
import { openPrinter } from './folder/folder-report.ts';
import { verifyFolder } from './folder/verify-folder.ts';
import { verifyFiles } from './node/verify-files.ts';
import type { FolderOptions, VerificationOptions } from './options.ts';
import { toTextReport } from './report/text-report.ts';
import { exitCodes } from './shell/exit-codes.ts';
import type { Command } from './shell/run-command.ts';
import { isColoured, type Terminal } from './shell/terminal.ts';
import type { Outcome } from './verify/report.ts';
import { parseVerifyOptions, type ReportOptions, verifyDeclaration } from './verify-options.ts';

async function verify(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseVerifyOptions(args);
  if ('folder' in options) return exitCodes[await reportFolder(options, terminal)];
  const { report, text } = await verifyAndAnswer(options, options, terminal);
  terminal.stdout.write(options.format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : text());
  return exitCodes[report.outcome];
}

/** The report on one file, with the existence answer if there are vouchers next to it. */
export async function verifyAndAnswer(
  options: VerificationOptions,
  { isComplete }: Pick<ReportOptions, 'isComplete'>,
  terminal: Pick<Terminal, 'stdin' | 'stdout' | 'stderr'>,
) {
  const files = await verifyFiles(options, terminal);
  const existence = await answerExistence(options, files, terminal.stdin);
  const text = () =>
    toTextReport(files.report, { isComplete, isColoured: isColoured(terminal.stdout) }) +
    (existence === undefined ? '' : `\nWhen it existed\n\n${existenceToText(describeExistence(existence, 'en'))}`);
  return { report: { ...files.report, existence }, text };
}

/** Reports each file as it goes. */
export async function reportFolder(
  options: FolderOptions & ReportOptions,
  terminal: Pick<Terminal, 'stdout' | 'stderr'>,
): Promise<Outcome> {
  const printer = openPrinter(terminal.stdout, options);
  const verification = await verifyFolder(options, terminal, printer.onFile);
  printer.end(verification);
  return verification.outcome;
}

export const verifyCommand: Command = { declaration: verifyDeclaration, run: verify };
