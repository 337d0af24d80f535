// The command `recordproof-verify existence`: reads what lies beside the file and what the caller trusts, and reports.
import { openOriginal, tellAbsent } from '../node/read-inputs.ts';
import { withProgress } from '../report/progress.ts';
import type { Command } from '../shell/run-command.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ExistenceInput } from './existence-input.ts';
import { existenceHelp, parseExistenceOptions } from './existence-options.ts';
import type { ExistenceOutcome } from './existence-report.ts';
import { toExistenceText } from './existence-text.ts';
import { judgeExistence } from './judge-existence.ts';
import { readEvidence, readTrustFiles, withSignatures } from './read-evidence.ts';

const exitCodes: Readonly<Record<ExistenceOutcome, number>> = { EXISTED: 0, CONTRADICTED: 2, NOT_SHOWN: 3, ERROR: 4 };

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseExistenceOptions(args);
  const { stdin, stdout, stderr } = terminal;
  const { policy, roots, headers } = options.trust;
  tellAbsent([options.file, options.proof, policy, roots, headers], stderr);
  const original = openOriginal(options.file, stdin);
  const input: ExistenceInput = {
    original: withProgress(original.stream, original.size, stderr),
    maxOriginalBytes: options.maxFileBytes,
    ...(await readEvidence(options)),
    ...(await readTrustFiles(options.trust)),
  };
  const report = await judgeExistence(input, withSignatures(original.platform));
  stdout.write(options.format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : toExistenceText(report));
  return exitCodes[report.outcome];
}

export const existenceCommand: Command = { name: 'existence', help: existenceHelp, run };
