// The command `recordproof-verify certificate`: verifies like `verify`, and writes the result as a document. Never
// overwrites a file. The exit code is the verdict, or ERROR if the document could not be written.
import { verifyFiles } from '../node/verify-files.ts';
import { isAboutRetirement, runRetirement } from '../retirement/retirement-command.ts';
import { exitCodes } from '../shell/exit-codes.ts';
import type { Command } from '../shell/run-command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { expectNew, writeNew } from '../shell/write-new.ts';
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
  const options = parseCertificateOptions(args);
  expectNew('out', options.out);
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
