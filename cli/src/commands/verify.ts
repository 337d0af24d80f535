import { boolean, string } from '@oclif/core/flags';
import { runVerify, exitCodes as verdictCodes } from '@recordproof/verifier/cli.ts';
import { parseVerifyOptions, UsageError } from '@recordproof/verifier/options.ts';
import { toTextReport } from '@recordproof/verifier/report/text-report.ts';
import type { Outcome, VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { command } from '../command.ts';
import type { Ending } from '../exit-codes.ts';
import { Fixable } from '../fixable.ts';

const helpGroup = 'ONLINE';

const flags = {
  file: string({ helpValue: '<path>', summary: 'The original file; - reads standard input.' }),
  proof: string({ helpValue: '<path>', summary: 'The proof archive.' }),
  'trusted-key': string({ helpValue: '<path>', summary: 'The issuer’s key, obtained by a way that you trust.' }),
  format: string({ options: ['text', 'json'], summary: 'Report for people (default) or for programs.' }),
  'max-file-bytes': string({ helpValue: '<bytes>', summary: 'Refuse larger originals.' }),
  online: boolean({ helpGroup, summary: 'Ask for the current status and the root on the chain.' }),
  'issuer-base-url': string({ helpGroup, helpValue: '<url>', summary: 'Where the issuer answers.' }),
  'chain-url-template': string({ helpGroup, helpValue: '<url>', summary: 'Where the chain answers.' }),
  'allow-host': string({ helpGroup, helpValue: '<host>', multiple: true, summary: 'A host that may be asked.' }),
  'allow-http': boolean({ helpGroup, summary: 'Tests only: plain HTTP.' }),
  'allow-private-addresses': boolean({ helpGroup, summary: 'Tests only: private and loopback addresses.' }),
};

const endings: Readonly<Record<Outcome, Ending>> = {
  VALID: 'ok',
  INVALID: 'invalid',
  INDETERMINATE: 'indeterminate',
  ERROR: 'unverifiable',
};

/** The flags as the verifier's own command line. */
function toArguments(given: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(flags)
    .filter(name => name !== 'format')
    .flatMap(name => {
      const values = [given[name] ?? []].flat();
      return values
        .filter(value => value !== false)
        .map(value => (value === true ? `--${name}` : `--${name}=${value}`));
    });
}

function assertUsable(args: readonly string[]): void {
  try {
    parseVerifyOptions(args);
  } catch (problem) {
    if (!(problem instanceof UsageError)) throw problem;
    throw new Fixable('usage', problem.message, { try: 'recordproof verify --help' });
  }
}

async function verify(args: readonly string[]): Promise<VerificationReport> {
  let written = '';
  const { stdin, stderr } = process;
  const stdout = { write: (text: string) => (written += text) };
  const code = await runVerify([...args, '--format=json'], { stdin, stdout, stderr });
  if (written === '') throw new Error('the verifier ended without a report');
  const report = JSON.parse(written) as VerificationReport;
  if (code !== verdictCodes[report.outcome]) throw new Error('the report and the exit code of the verifier differ');
  return report;
}

export default command({
  summary: 'Check a file against its proof, without a server',
  description:
    'The same as recordproof-verify: no account, no server, and without --online not a single connection. The exit code is the verdict.',
  examples: [
    {
      command: 'verify --file report.pdf --proof report.proof.zip --trusted-key issuer.json',
      description: 'offline: at best INDETERMINATE, exit code 3',
    },
  ],
  flags,
  async run({ flags: given }) {
    const args = toArguments(given);
    assertUsable(args);
    return verify(args);
  },
  text: (report, { format }) => (format === 'json' ? JSON.stringify(report, null, 2) : toTextReport(report)),
  ending: ({ outcome }) => endings[outcome],
});
