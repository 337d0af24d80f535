import { buildCommit } from './build-commit.ts';

/** The answer of a program to `--version`. */
export const toVersionLine = (version: string): string =>
  buildCommit === undefined ? version : `${version} (commit ${buildCommit})`;
