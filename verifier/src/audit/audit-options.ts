// Command line options of the ledger audit.
import { choice, value, values } from '@recordproof/shared/command-line/command.ts';
import type { NoteKey } from '@recordproof/shared/evidence/signed-note.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { readArguments, readVerifierKey, readWholeNumber } from '../shell/arguments.ts';
import { trustOptions } from '../trust-options.ts';
import { reportFormat } from '../verify-options.ts';

export type AuditOptions = {
  /** The URL of a server or its ledger, or a folder with a copy of the tiles. */
  readonly source: string;
  readonly key?: NoteKey | undefined;
  readonly policy?: string | undefined;
  readonly since: readonly string[];
  readonly keep?: string | undefined;
  readonly mirror?: string | undefined;
  readonly stamps: readonly string[];
  /** Ids of proofs, or proof archives, whose last status is read. */
  readonly proofs: readonly string[];
  readonly roots?: string | undefined;
  /** The folder for evidence of a contradiction. */
  readonly evidence: string;
  /** The number of batches, and of proofs, to query from the server. */
  readonly compare: number;
  readonly waitSeconds: number;
  readonly format: 'text' | 'json';
  readonly language: Language;
};

export const auditDeclaration = {
  path: 'audit',
  summary: 'Reads a whole ledger and says whether its operator contradicts himself',
  usage: ['audit URL|FOLDER --key KEY [options]'],
  arguments: [
    ['URL|FOLDER', 'a server such as https://proof.example.org, its ledger, or a folder with a copy of the tiles'],
  ],
  takesFile: true,
  options: {
    key: value('KEY', 'verifier key of the ledger, from a source that you trust; or name it in a policy'),
    policy: trustOptions.policy,
    since: values(
      'FILE',
      'a checkpoint of this ledger that you or another party kept, which it must continue: a signed checkpoint, a .tlog-proof, or a .checkpoints file of ledger watch. May be given many times',
    ),
    keep: value('FILE', 'writes the checkpoint here for the next audit, when nothing contradicts it'),
    mirror: value(
      'FOLDER',
      'keeps what is read, and does not fetch it again: an audit that was interrupted goes on, and the copy can be audited without a network',
    ),
    stamp: values('FILE.tsr', 'a time stamp over one of these checkpoints. May be given many times'),
    'tsa-roots': value(
      'FILE',
      'roots of time-stamping authorities that you trust, in PEM; the time stamps that the server hands out are checked, too',
    ),
    proof: values(
      'ARCHIVE|ID',
      'a proof of yours: what do all entries say of it, and does the server answer the same? May be given many times',
    ),
    compare: value(
      'N',
      'how many batches to ask the server about (default 100), beside every key and the proofs of --proof',
    ),
    wait: value('SECONDS', 'how long to wait for the quorum of the policy (default 10)'),
    evidence: value('FOLDER', 'where the file goes that shows a contradiction (default: this folder)'),
    format: reportFormat,
    language: choice(['en', 'zh'], 'of the report for people (default en)'),
  },
  notes: `For a timer: recordproof-verify audit URL --policy FILE --since KEPT --keep KEPT, after a first one without --since.
Exit codes: 0 nothing found, 2 a contradiction, 3 not everything could be checked, 4 error, 64 wrong arguments,
69 the ledger could not be reached.
`,
} as const;

export function parseAuditOptions(args: readonly string[]): AuditOptions {
  const { options, positionals } = readArguments(args, auditDeclaration);
  const [source] = positionals;
  if (source === undefined)
    throw new UsageError('the address of a server or a folder is needed: recordproof-verify audit https://…');
  const { key, policy, keep, mirror, 'tsa-roots': roots } = options;
  if (options.stamp.length > 0 && roots === undefined)
    throw new UsageError('--stamp needs --tsa-roots: the roots of the authorities that you trust');
  if (mirror !== undefined && !isAddress(source))
    throw new UsageError('--mirror requires the address of a server, not a folder');
  return {
    ...{ source, policy, keep, mirror, roots },
    key: key === undefined ? undefined : readVerifierKey('key', key),
    since: options.since,
    stamps: options.stamp,
    proofs: options.proof,
    evidence: options.evidence ?? '.',
    compare: readWholeNumber('compare', options.compare ?? '100', 10_000),
    waitSeconds: readWholeNumber('wait', options.wait ?? '10', 600),
    format: options.format,
    language: options.language,
  };
}

export const isAddress = (source: string): boolean => /^https?:\/\//.test(source);
