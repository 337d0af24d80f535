// The digest of a census: chained line by line, so that the walk can be interrupted at any point.
import { createHash } from 'node:crypto';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const startOfDigest = sha256('recordproof.reference-census.v1');

export const withLines = (digest: string, lines: readonly string[]): string =>
  lines.reduce((before, line) => sha256(`${before}\n${line}`), digest);
