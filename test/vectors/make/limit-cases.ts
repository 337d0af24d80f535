// Cases of input above the limits of the verifier, and of unreadable files.
import { type Case, plainProof, toEntries, zip } from './case.ts';
import { bad } from './json-cases.ts';

const good = zip(toEntries(plainProof));
const receipt = 'blockchain-receipt.json';
const fields = Array.from({ length: 1025 }, (_, at) => `"f${at}":0`).join(',');

const rejected = (name: string, why: string, check: string, code: string, more: Partial<Case>): Case => ({
  name,
  why,
  archive: good,
  trustedKey: 'issuer.json',
  expected: { outcome: 'ERROR', check, code },
  ...more,
});

export const limitCases: readonly Case[] = [
  rejected('archive-too-large', 'An archive of 16 MiB and one byte.', 'archive.structure', 'ARCHIVE_TOO_LARGE', {
    padArchiveTo: 2 ** 24 + 1,
  }),
  rejected('archive-unreadable', 'The archive cannot be read.', 'archive.structure', 'ARCHIVE_UNREADABLE', {
    unreadable: 'archive',
  }),
  rejected('original-too-large', 'One byte more than is accepted.', 'content.original', 'ORIGINAL_TOO_LARGE', {
    maxFileBytes: 2499,
  }),
  rejected('original-unreadable', 'The original cannot be read.', 'content.original', 'ORIGINAL_UNREADABLE', {
    unreadable: 'original',
  }),
  rejected('keyfile-unreadable', 'The key file cannot be read.', 'signature.key', 'TRUSTED_KEY_UNREADABLE', {
    unreadable: 'trustedKey',
  }),
  bad(
    'too-many-values',
    'A list of more values than an archive can need.',
    receipt,
    () => `[${'0,'.repeat(131_072)}0]`,
    'JSON_TOO_MANY_VALUES',
  ),
  bad('1025-fields', 'An object of 1,025 fields.', receipt, () => `{${fields}}`, 'JSON_TOO_MANY_VALUES'),
  bad(
    'depth-100000',
    'A hundred thousand levels, on which a reader that calls itself would die.',
    receipt,
    () => '['.repeat(100_000),
    'JSON_TOO_DEEP',
  ),
];
