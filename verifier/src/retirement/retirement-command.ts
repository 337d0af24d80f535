// The other half of `recordproof-verify certificate`: checks a certificate of key retirement, where one is named in place
// of a file and its proof. The exit code is the verdict.
import { maxRetirementCertificateBytes } from '@recordproof/shared/evidence/retirement-certificate.ts';
import { nodePlatform } from '../node/node-platform.ts';
import { readBounded, readWhenAsked, tellAbsent } from '../node/read-inputs.ts';
import { readFormat } from '../options.ts';
import { readArguments, UsageError } from '../shell/arguments.ts';
import { exitCodes } from '../shell/exit-codes.ts';
import type { Terminal } from '../shell/terminal.ts';
import { maxTrustedKeyBytes } from '../verify/trusted-key.ts';
import { checkRetirement } from './check-retirement.ts';
import { toRetirementText } from './retirement-text.ts';

/** What every version of it holds. */
const kind = 'recordproof.key-retirement-certificate.';
const options = { items: 'value', 'trusted-key': 'value', format: 'value' } as const;

/** What speaks of a proof is a document about its verification: the certificate of a run needs none of these. */
const ofProofs = /^--(file|proof|out)(=|$)/;

export const isAboutRetirement = (args: readonly string[]): boolean =>
  args.some(arg => !arg.startsWith('-')) && !args.some(arg => ofProofs.test(arg));

export async function runRetirement(args: readonly string[], terminal: Terminal): Promise<number> {
  const { options: given, positionals } = readArguments(args, options, 1);
  const [path] = positionals;
  if (path === undefined) throw new UsageError('the certificate of a key retirement must be named');
  const format = readFormat(given.format, ['text', 'json']);
  tellAbsent([path, given.items, given['trusted-key']], terminal.stderr);
  const document = await readBounded(path, maxRetirementCertificateBytes);
  if (document instanceof Uint8Array && !Buffer.from(document).includes(kind))
    throw new UsageError(
      'this is no certificate of a key retirement; a document about a file and its proof needs --out',
    );
  const key = given['trusted-key'];
  const report = await checkRetirement(
    {
      document,
      ...(key !== undefined && { trustedKey: await readBounded(key, maxTrustedKeyBytes) }),
      ...(given.items !== undefined && { items: readWhenAsked(given.items) }),
    },
    nodePlatform,
  );
  terminal.stdout.write(format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : toRetirementText(report));
  return exitCodes[report.outcome];
}
