// The command `recordproof-verify existence`: reads the vouchers next to the file and the caller's trust material, and
// reports.
import { describeAbsent, openOriginal, withProgress } from '../node/read-inputs.ts';
import type { Command } from '../shell/run-command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { expectNew, writeNew } from '../shell/write-new.ts';
import { describeExistence } from './describe-existence.ts';
import { listCertified, toCommand, toExistenceHtml } from './existence-certificate.ts';
import type { ExistenceInput } from './existence-input.ts';
import { type ExistenceOptions, existenceDeclaration, parseExistenceOptions } from './existence-options.ts';
import type { ExistenceOutcome, ExistenceReport } from './existence-report.ts';
import { judgeExistence } from './judge-existence.ts';
import { existenceToText } from './plain-text.ts';
import { type FoundEvidence, readEvidence, readTrustFiles, withSignatures } from './read-evidence.ts';

const exitCodes: Readonly<Record<ExistenceOutcome, number>> = { EXISTED: 0, CONTRADICTED: 2, NOT_SHOWN: 3, ERROR: 4 };

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseExistenceOptions(args);
  const { format, language, certificate } = options;
  if (certificate !== undefined) expectNew('certificate', certificate);
  const { stdin, stdout, stderr } = terminal;
  const { policy, roots, headers } = options.trust;
  describeAbsent([options.file, options.proof, policy, roots, headers], stderr);
  const original = openOriginal(options.file, stdin);
  const input: ExistenceInput & FoundEvidence = {
    original: withProgress(original.stream, original.size, stderr),
    maxOriginalBytes: options.maxFileBytes,
    ...(await readEvidence(options)),
    ...(await readTrustFiles(options.trust)),
  };
  const report = await judgeExistence(input, withSignatures(original.platform));
  stdout.write(
    format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : existenceToText(describeExistence(report, language)),
  );
  if (certificate !== undefined && !(await writeNew(certificate, toDocument(options, input, report)))) {
    stderr.write('The document could not be written.\n');
    return exitCodes.ERROR;
  }
  return exitCodes[report.outcome];
}

function toDocument(options: ExistenceOptions, input: ExistenceInput & FoundEvidence, report: ExistenceReport): string {
  const required = report.required.map(({ requirement }) => requirement).join(',');
  const certificate = {
    report,
    files: listCertified(options, input, report),
    command: toCommand(options, required === '' ? undefined : required),
    madeAt: new Date().toISOString(),
  };
  return toExistenceHtml(certificate, options.language);
}

export const existenceCommand: Command = { declaration: existenceDeclaration, run };
