// Cases of test/vectors/existence.json: files with the evidence beside them, the expected existence report about each,
// and our own.
import { readFileSync } from 'node:fs';
import { parseBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { judgeExistence } from '../../verifier/src/existence/judge-existence.ts';
import { parseRequirements } from '../../verifier/src/existence/requirements.ts';
import { joinEvidence, unpackEvidence } from '../../verifier/src/existence/unpack-evidence.ts';
import { nodePlatform } from '../../verifier/src/node/node-platform.ts';
import { noteVerifiers } from './note-keys.ts';

export const givenNames = [
  ...(['original', 'archive', 'tlogProof', 'stamp', 'ots', 'evidence', 'policy', 'roots', 'headers'] as const),
];
export type CaseFileName = (typeof givenNames)[number];
export type CaseFiles = { readonly [Name in CaseFileName]?: Uint8Array } & { readonly original: Uint8Array };

export type ExistenceVerdict = {
  outcome: string;
  reason?: string;
  /** Milliseconds since 1970. */
  time?: number;
  links: Record<string, string>;
  vouchers: { kind: string; code: string; name?: string; time?: number }[];
};

export type ExistenceCase = {
  readonly name: string;
  /** Names of files. */
  readonly given: { readonly [Name in CaseFileName]?: string };
  readonly require?: string;
  readonly expected: ExistenceVerdict;
};
export type ExistenceCases = { readonly files: Record<string, string>; readonly cases: readonly ExistenceCase[] };

export const readExistenceCases = (): ExistenceCases =>
  JSON.parse(readFileSync(new URL('../vectors/existence.json', import.meta.url), 'utf8'));

export function toGiven({ files }: ExistenceCases, { given }: Pick<ExistenceCase, 'given'>): CaseFiles {
  const found = Object.entries(given).map(([name, file]) => [name, parseBase64(files[file] ?? '')] as const);
  return { original: toUtf8(''), ...Object.fromEntries(found) };
}

/**
 * As the command reads the evidence beside a file: a separate file takes precedence over the same in the evidence
 * archive.
 */
export async function judgeCase({ original, evidence, ...files }: CaseFiles, require = ''): Promise<ExistenceVerdict> {
  const stream = (async function* () {
    yield original;
  })();
  const required = require === '' ? [] : (parseRequirements(require) ?? []);
  const found = { ...files, ...joinEvidence(files, unpackEvidence(evidence)) };
  const input = { ...found, original: stream, maxOriginalBytes: 2 ** 30, required };
  const report = await judgeExistence(input, { ...nodePlatform, noteVerifiers, verifySignature });
  const { outcome, reason, existedNoLaterThan, links, vouchers } = report;
  return {
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(existedNoLaterThan === undefined ? {} : { time: Date.parse(existedNoLaterThan) }),
    links: Object.fromEntries(links.map(({ id, code }) => [id, code])),
    vouchers: vouchers.map(({ kind, code, name, time }) => ({
      ...{ kind, code },
      ...(kind === 'WITNESS' || kind === 'QUORUM' ? { name } : {}),
      ...(time === undefined ? {} : { time: Date.parse(time) }),
    })),
  };
}
