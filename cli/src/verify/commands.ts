// The command `verify`.
import type { Interfaces } from '@oclif/core';
import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import {
  forFolder,
  seeFolder,
  toFolderOptions,
  toVerificationOptions,
  type VerificationInput,
} from '@recordproof/verifier/options.ts';
import { listBeside } from '@recordproof/verifier/proof-paths.ts';
import { rejectOptionLike } from '@recordproof/verifier/shell/arguments.ts';
import { readTrust } from '@recordproof/verifier/trust-options.ts';
import type { Outcome } from '@recordproof/verifier/verify/report.ts';
import { reportFolder, verifyAndAnswer } from '@recordproof/verifier/verify-command.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import type { Ending } from '../platform/exit-codes.ts';
import { writeData, writeJson } from '../platform/output.ts';
import { completeVerification } from './one-step.ts';

const helpGroup = 'ONLINE';
const timeGroup = 'TIME';

const flags = {
  folder: string({ helpValue: '<path>', summary: 'A folder that was sealed, instead of a file.' }),
  file: string({ helpValue: '<path>', summary: 'The original file; - reads standard input.' }),
  proof: string({ helpValue: '<path>', summary: 'The proof archive; <file>.proof.zip when only a file is named.' }),
  'trusted-key': string({ helpValue: '<path>', summary: 'The issuer’s key, obtained by a way that you trust.' }),
  'require-trusted-key': boolean({ summary: 'No key that only the issuer names is good enough.' }),
  format: string({ options: ['text', 'json'], summary: 'Report for people (default) or for programs.' }),
  all: boolean({ summary: 'Show the checks that passed, too.' }),
  offline: boolean({ summary: 'Call no server, even if the profile has one.' }),
  'max-file-bytes': string({ helpValue: '<size>', summary: 'Refuse larger originals, as 10GB.' }),
  policy: string({ helpGroup: timeGroup, helpValue: '<path>', summary: 'Ledgers and witnesses that you trust.' }),
  'tsa-roots': string({ helpGroup: timeGroup, helpValue: '<path>', summary: 'Roots of authorities that you trust.' }),
  'bitcoin-headers': string({ helpGroup: timeGroup, helpValue: '<path>', summary: 'Block headers that you trust.' }),
  require: string({
    helpGroup: timeGroup,
    helpValue: '<list>',
    summary: 'What must be there, as witness:2,rfc3161. The exit code stays that of the proof.',
  }),
  online: boolean({ helpGroup, summary: 'Ask for the current status and the root on the chain.' }),
  'issuer-base-url': string({ helpGroup, helpValue: '<url>', summary: 'Where the issuer answers.' }),
  'chain-url-template': string({ helpGroup, helpValue: '<url>', summary: 'Where the chain answers.' }),
  'allow-host': string({ helpGroup, helpValue: '<host>', multiple: true, summary: 'A host that may be asked.' }),
  'allow-http': boolean({ helpGroup, summary: 'Tests only: plain HTTP.' }),
  'allow-private-addresses': boolean({ helpGroup, summary: 'Tests only: private addresses.' }),
};

const endings: Readonly<Record<Outcome, Ending>> = {
  VALID: 'ok',
  INVALID: 'invalid',
  INDETERMINATE: 'indeterminate',
  ERROR: 'unverifiable',
};

type VerifyFlags = Interfaces.InferredFlags<typeof flags>;
type FolderInput = VerificationInput & { readonly folder: string };

type Named = { readonly file?: string | undefined; readonly archive?: string | undefined };

function toInput(flags: VerifyFlags, { file, archive }: Named): VerificationInput {
  if (file !== undefined) rejectOptionLike('the file', file);
  if (archive !== undefined) rejectOptionLike('the archive', archive);
  if (file !== undefined && flags.file !== undefined)
    throw new UsageError(`the file is given twice, "${file}" and --file "${flags.file}": give one`);
  if (archive !== undefined && flags.proof !== undefined)
    throw new UsageError(`the archive is given twice, "${archive}" and --proof "${flags.proof}": give one`);
  for (const [name, value] of Object.entries(flags))
    for (const text of [value].flat()) if (typeof text === 'string') rejectOptionLike(`--${name}`, text);
  return {
    file: file ?? flags.file,
    folder: flags.folder,
    proof: archive ?? flags.proof,
    isBeside: file !== undefined,
    trustedKey: flags['trusted-key'],
    requireTrustedKey: flags['require-trusted-key'],
    trust: readTrust(flags),
    maxFileBytes: flags['max-file-bytes'],
    online: flags.online,
    issuerBaseUrl: flags['issuer-base-url'],
    chainUrlTemplate: flags['chain-url-template'],
    allowHost: flags['allow-host'] ?? [],
    allowHttp: flags['allow-http'],
    allowPrivateAddresses: flags['allow-private-addresses'],
  };
}

type Format = 'text' | 'json';

async function checkFolder(
  input: FolderInput,
  flags: VerifyFlags,
  context: CommandContext,
  format: Format,
): Promise<Outcome> {
  const { folder, ...list } = { ...input, file: listBeside(input.folder) };
  const options =
    input.isBeside === true
      ? forFolder(await completeVerification(context, list, flags.offline), folder)
      : toFolderOptions(input);
  return await reportFolder({ ...options, format, isComplete: flags.all }, process);
}

async function checkFile(
  input: VerificationInput,
  flags: VerifyFlags,
  context: CommandContext,
  format: Format,
): Promise<Outcome> {
  const options = await toOptions(input, flags, context);
  const { report, text } = await verifyAndAnswer(options, { isComplete: flags.all }, process);
  if (format === 'json') writeJson(report);
  else writeData(text());
  return report.outcome;
}

async function toOptions(input: VerificationInput, flags: VerifyFlags, context: CommandContext) {
  const { file } = input;
  if (input.isBeside !== true || file === undefined || file === '-') return toVerificationOptions(input);
  return await completeVerification(context, { ...input, file }, flags.offline);
}

export const verify = command({
  summary: 'Check a file or a sealed folder against its proof',
  description: [
    'With the name of a file: takes the archive named behind it, or <file>.proof.zip, or gets it from the server of the',
    'profile, trusts the keys that `recordproof keys pin` has kept, and asks that server for status and chain root. With --file and --proof: the same as',
    'recordproof-verify, without a server, and without --online not a single connection. The exit code is the verdict.',
    'Where <file>.tlog-proof, <file>.tsr or <file>.ots is there, the report also says since when the file existed, and on',
    'whose word.',
  ].join(' '),
  examples: [
    { command: 'verify report.pdf', description: 'everything that can be found is found' },
    {
      command: 'verify --file report.pdf --proof report.proof.zip --trusted-key issuer.json',
      description: 'offline: at best INDETERMINATE, exit code 3',
    },
  ],
  args: {
    file: argument({ description: 'The original file, or the folder that was sealed.' }),
    archive: argument({ description: 'Its proof archive, when it is not <file>.proof.zip or <file>.evidence.zip.' }),
  },
  flags,
  writesAsItGoes: true,
  async run({ flags, args, context }) {
    try {
      const input = seeFolder(toInput(flags, args));
      const format = flags.json === true || flags.format === 'json' ? 'json' : 'text';
      if (input.folder === undefined) return await checkFile(input, flags, context, format);
      return await checkFolder({ ...input, folder: input.folder }, flags, context, format);
    } catch (problem) {
      if (!(problem instanceof UsageError)) throw problem;
      throw new CommandError('usage', problem.message, { try: 'recordproof verify --help' });
    }
  },
  ending: outcome => endings[outcome],
});
