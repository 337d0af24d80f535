// Command line options of the existence check.
import { choice, value } from '@recordproof/shared/command-line/command.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { readBytes } from '../options.ts';
import { readArguments } from '../shell/arguments.ts';
import { readTrust, type TrustOptions, trustOptions } from '../trust-options.ts';
import { reportFormat } from '../verify-options.ts';

export type ExistenceOptions = {
  readonly file: string;
  /** A proof archive or an evidence archive; by default searched next to the file. */
  readonly proof?: string | undefined;
  readonly trust: TrustOptions;
  readonly maxFileBytes: number;
  readonly format: 'text' | 'json';
  readonly language: Language;
  /** The path of an HTML document, which must not exist yet. */
  readonly certificate?: string | undefined;
};

export const existenceDeclaration = {
  path: 'existence',
  summary: 'Says since when a file existed at the latest, and on whose word. Opens no connection',
  usage: ['existence FILE [ARCHIVE.zip] [options]'],
  arguments: [
    ['FILE', 'the original file; - reads standard input'],
    [
      'ARCHIVE.zip',
      'its proof archive or its evidence archive; when it is not named, FILE.proof.zip or FILE.evidence.zip. FILE.tlog-proof, FILE.tsr and FILE.ots are looked for beside the file',
    ],
  ],
  takesFile: true,
  options: {
    ...trustOptions,
    'max-file-bytes': value('SIZE', 'refuse larger files, as 10GB (default 1TB)'),
    format: reportFormat,
    language: choice(['en', 'zh'], 'of the report for people and of the certificate (default en)'),
    certificate: value(
      'FILE.html',
      'also writes what was found as a document to print and to file; must not exist yet',
    ),
  },
  notes: `Without --require one trusted voucher is enough.
Exit codes: 0 EXISTED, 2 CONTRADICTED, 3 NOT_SHOWN, 4 ERROR, 64 wrong arguments.
EXISTED does not show whether a proof was revoked since, or who wrote the file: verify checks the revocation.
`,
} as const;

export function parseExistenceOptions(args: readonly string[]): ExistenceOptions {
  const { options, positionals } = readArguments(args, existenceDeclaration);
  const [file, proof] = positionals;
  if (file === undefined) throw new UsageError('a file is needed: recordproof-verify existence FILE');
  if (proof === '-') throw new UsageError('only the file may be - for standard input');
  if (file === '-' && proof === undefined)
    throw new UsageError('with standard input, name the proof or evidence archive, too');
  return {
    file,
    proof,
    trust: readTrust(options) ?? { required: [] },
    maxFileBytes: readBytes(options['max-file-bytes']),
    format: options.format,
    language: options.language,
    certificate: options.certificate,
  };
}
