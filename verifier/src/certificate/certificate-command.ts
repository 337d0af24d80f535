// The command `recordproof-verify certificate`: verifies like `verify`, and writes what was found as a document. Refuses
// to overwrite anything. The exit code is the verdict, or ERROR when the document could not be written.
import { existsSync } from 'node:fs';
import { nodePlatform } from '../node/node-platform.ts';
import { verifyFiles } from '../node/verify-files.ts';
import { type CertificateOptions, parseCertificateOptions } from '../options.ts';
import { isAboutRetirement, runRetirement } from '../retirement/retirement-command.ts';
import { UsageError } from '../shell/arguments.ts';
import { exitCodes } from '../shell/exit-codes.ts';
import type { Command } from '../shell/run-command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { writeNew } from '../shell/write-new.ts';
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
  // Asked before a large file is read; writing asks again.
  if (existsSync(options.out)) throw new UsageError('--out names something that exists already; it is left as it is');
  return options;
}

async function certify(options: CertificateOptions, terminal: Terminal): Promise<number> {
  const files = await verifyFiles(options, terminal);
  const certificate = toCertificate(options, files, nodePlatform.sha256);
  const { outcome } = files.report;
  if (!(await writeNew(options.out, forms[options.format](certificate)))) {
    terminal.stderr.write('The document could not be written.\n');
    return exitCodes.ERROR;
  }
  terminal.stdout.write(`Result: ${outcome}\n${certificate.title}: written.\n`);
  return exitCodes[outcome];
}

const help = `Verifies like recordproof-verify, and writes what was found as a document to print and to file.

  recordproof-verify certificate --file FILE --proof ARCHIVE.zip --out DOCUMENT [options]

  --out DOCUMENT        must not exist yet
  --format html|text    one HTML file without scripts (default), or plain text

All options of recordproof-verify but --folder, --all and its --format; see recordproof-verify --help. The document holds
the result, what it means and what it does not mean, names, sizes and SHA-256 of the inputs, and every check. Only VALID is
called a certificate. Exit codes: 0 VALID, 2 INVALID, 3 INDETERMINATE, 4 ERROR or not written, 64 wrong arguments.

Named without --file, --proof and --out, the certificate of a key retirement is checked instead, and nothing is written:

  recordproof-verify certificate CERTIFICATE.json [options]

  --trusted-key KEY.json  the issuer's key, obtained by a way that you trust; VALID needs it
  --items ITEMS.ndjson    the items of the run: whether they are those that were signed, and give the same figures
  --format text|json      report for people (default) or for programs
`;

export const certificateCommand: Command = { name: 'certificate', help, run: runCertificate };
