// The checked files in an existence certificate, and the command that checks them again.
import { basename } from 'node:path';
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import { oneLine } from '../shell/terminal.ts';
import type { CertifiedFile } from './existence-certificate.ts';
import type { ExistenceInput } from './existence-input.ts';
import type { ExistenceOptions } from './existence-options.ts';
import type { ExistenceReport } from './existence-report.ts';
import { evidenceLimits, type FoundEvidence } from './read-evidence.ts';

/** Removes characters that could hide, reverse or break the printed text. */
const toName = (path: string): string => oneLine(basename(path));

export function listCertified(
  { file, trust }: ExistenceOptions,
  { names, ...input }: ExistenceInput & FoundEvidence,
  report: ExistenceReport,
): CertifiedFile[] {
  const original = { role: 'original', name: toName(file), sha256: report.contentHash } as const;
  const named = [
    ['archive', toName(names.archive)],
    ['tlogProof', toName(names.tlogProof)],
    ['stamp', toName(names.stamp)],
    ['ots', toName(names.ots)],
    ['policy', toName(trust.policy ?? '')],
    ['roots', toName(trust.roots ?? '')],
    ['headers', toName(trust.headers ?? '')],
  ] as const;
  return [
    original,
    ...named.flatMap(([role, name]) => {
      const bytes = input[role];
      // An oversized file was not read to its end.
      const isWhole = bytes instanceof Uint8Array && bytes.length <= evidenceLimits[role];
      return bytes === undefined ? [] : [{ role, name, sha256: isWhole ? digestOf(bytes) : undefined }];
    }),
  ];
}

/** For a folder with the files. */
export function toCommand({ file, proof, trust }: ExistenceOptions, required: string | undefined): string {
  const flags = [
    ['policy', trust.policy],
    ['tsa-roots', trust.roots],
    ['bitcoin-headers', trust.headers],
    ['require', required],
  ] as const;
  const words = flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${quoted(toName(value))}`]));
  const files = [file, ...(proof === undefined ? [] : [proof])].map(path => quoted(toName(path)));
  return ['recordproof-verify existence', ...files, ...words].join(' ');
}

/** Quoted for a shell if necessary. */
const quoted = (word: string): string =>
  /^[A-Za-z0-9._/:@,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
