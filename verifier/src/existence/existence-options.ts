// The command line of the existence check.

import { existsSync } from 'node:fs';
import { type Language, toLanguage } from '@recordproof/shared/words/words.ts';
import { readBytes, readFormat, readTrust, type TrustOptions, trustOptions } from '../options.ts';
import { readArguments, UsageError } from '../shell/arguments.ts';

export type ExistenceOptions = {
  readonly file: string;
  /** A proof archive or an evidence archive; looked for beside the file when it is not named. */
  readonly proof?: string;
  readonly trust: TrustOptions;
  readonly maxFileBytes: number;
  readonly format: 'text' | 'json';
  readonly language: Language;
  /** Of an HTML document, which must not exist yet. */
  readonly certificate?: string;
};

export const existenceOptions = {
  ...trustOptions,
  'max-file-bytes': 'value',
  format: 'value',
  language: 'value',
  certificate: 'value',
} as const;

export function parseExistenceOptions(args: readonly string[]): ExistenceOptions {
  const { options, positionals } = readArguments(args, existenceOptions, 2);
  const [file, proof] = positionals;
  if (file === undefined) throw new UsageError('a file is needed: recordproof-verify existence FILE');
  if (proof === '-') throw new UsageError('only the file may be - for standard input');
  if (file === '-' && proof === undefined)
    throw new UsageError('nothing lies beside standard input: name the proof or evidence archive, too');
  return {
    file,
    ...(proof === undefined ? {} : { proof }),
    trust: readTrust(options) ?? { required: [] },
    maxFileBytes: readBytes(options['max-file-bytes']),
    format: readFormat(options.format, ['text', 'json']),
    language: readLanguage(options.language),
    ...(options.certificate === undefined ? {} : { certificate: readNewPath(options.certificate) }),
  };
}

function readLanguage(given = 'en'): Language {
  const language = toLanguage(given);
  if (language !== given) throw new UsageError('--language is en or zh');
  return language;
}

function readNewPath(path: string): string {
  // Asked before a large file is read; writing asks again.
  if (existsSync(path)) throw new UsageError('--certificate names something that exists already; it is left as it is');
  return path;
}

export const existenceHelp = `Says since when a file existed at the latest, and on whose word. Opens no connection.

  recordproof-verify existence FILE [ARCHIVE.zip] [options]

  FILE                     the original file; - reads standard input
  ARCHIVE.zip              its proof archive or its evidence archive; when it is not named, FILE.proof.zip or
                           FILE.evidence.zip. FILE.tlog-proof, FILE.tsr and FILE.ots are looked for beside the file
  --policy FILE            the ledgers and witnesses that you trust, and how many must agree (C2SP tlog-policy)
  --tsa-roots FILE.pem     roots of time-stamping authorities that you trust
  --bitcoin-headers FILE   block headers that you trust: all from the first block on, 80 bytes each, or lines of text
                           with a height and 160 hex digits
  --require LIST           what must be there, as witness:2,rfc3161 or bitcoin. Without it one trusted voucher is enough
  --max-file-bytes SIZE    refuse larger files, as 10GB (default 1TB)
  --format text|json       report for people (default) or for programs
  --language en|zh         of the report for people and of the certificate (default en)
  --certificate FILE.html  also writes what was found as a document to print and to file; must not exist yet

Exit codes: 0 EXISTED, 2 CONTRADICTED, 3 NOT_SHOWN, 4 ERROR, 64 wrong arguments.
EXISTED says nothing of whether a proof was revoked since, or of who wrote the file: that is what verify asks.
`;
