// Part of the command `recordproof-verify certificate`: verifies a key retirement certificate, if one is named instead
// of a file and its proof. The exit code is the verdict.
import { maxRetirementCertificateBytes } from '@recordproof/shared/evidence/retirement-certificate.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { describeAbsent, readBounded, readLazily } from '../node/read-inputs.ts';
import { readArguments } from '../shell/arguments.ts';
import { exitCodes } from '../shell/exit-codes.ts';
import type { Terminal } from '../shell/terminal.ts';
import { maxTrustedKeyBytes } from '../verify/trusted-key.ts';
import { retirementDeclaration } from '../verify-options.ts';
import { checkRetirement } from './check-retirement.ts';
import { toRetirementText } from './retirement-text.ts';

/** The prefix common to all versions. */
const kind = 'recordproof.key-retirement-certificate.';

/** Options of the other form of the command, for documents on a proof verification. */
const ofProofs = /^--(file|proof|out)(=|$)/;

export const isAboutRetirement = (args: readonly string[]): boolean =>
  args.some(arg => !arg.startsWith('-')) && !args.some(arg => ofProofs.test(arg));

export async function runRetirement(args: readonly string[], terminal: Terminal): Promise<number> {
  const { options, positionals } = readArguments(args, retirementDeclaration);
  const [path] = positionals;
  if (path === undefined) throw new UsageError('the certificate of a key retirement must be named');
  describeAbsent([path, options.items, options['trusted-key']], terminal.stderr);
  const document = await readBounded(path, maxRetirementCertificateBytes);
  if (document instanceof Uint8Array && !Buffer.from(document).includes(kind))
    throw new UsageError(
      'this is no certificate of a key retirement; a document about a file and its proof needs --out',
    );
  const key = options['trusted-key'];
  const report = await checkRetirement(
    {
      document,
      ...(key !== undefined && { trustedKey: await readBounded(key, maxTrustedKeyBytes) }),
      ...(options.items !== undefined && { items: readLazily(options.items) }),
    },
    nodePlatform,
  );
  terminal.stdout.write(options.format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : toRetirementText(report));
  return exitCodes[report.outcome];
}
