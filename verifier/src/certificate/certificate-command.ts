// The command `recordproof-verify certificate`: verifies like `verify`, and writes the result as a document. Never
// overwrites a file. The exit code is the verdict, or ERROR if the document could not be written.
import { existsSync } from 'node:fs';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { verifyFiles } from '../node/verify-files.ts';
import { isAboutRetirement, runRetirement } from '../retirement/retirement-command.ts';
import { exitCodes } from '../shell/exit-codes.ts';
import type { Command } from '../shell/run-command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { writeNew } from '../shell/write-new.ts';
import { type CertificateOptions, certificateDeclaration, parseCertificateOptions } from '../verify-options.ts';
import { type Certificate, toCertificate } from './certificate.ts';
import { toCertificateHtml } from './certificate-html.ts';
import { toCertificateText } from './certificate-text.ts';

const forms: Readonly<Record<CertificateOptions['format'], (certificate: Certificate) => string>> = {
  html: toCertificateHtml,
  text: toCertificateText,
};

async function runCertificate(args: readonly string[], terminal: Terminal): Promise<number> {
  if (isAboutRetirement(args)) return await runRetirement(args, terminal);
  return await certify(readOptions(args), terminal);
}

function readOptions(args: readonly string[]): CertificateOptions {
  const options = parseCertificateOptions(args);
  // Checked before a large file is read; writing checks again.
  if (existsSync(options.out)) throw new UsageError('--out names something that exists already; it is left as it is');
  return options;
}

async function certify(options: CertificateOptions, terminal: Terminal): Promise<number> {
  const files = await verifyFiles(options, terminal);
  const certificate = toCertificate(options, files);
  const { outcome } = files.report;
  if (!(await writeNew(options.out, forms[options.format](certificate)))) {
    terminal.stderr.write('The document could not be written.\n');
    return exitCodes.ERROR;
  }
  terminal.stdout.write(`Result: ${outcome}\n${certificate.title}: written.\n`);
  return exitCodes[outcome];
}

export const certificateCommand: Command = { declaration: certificateDeclaration, run: runCertificate };
