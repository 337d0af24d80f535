// Answer of a program to `--version`.
import { buildCommit } from './build-commit.ts';

export const toVersionLine = (version: string): string =>
  buildCommit === undefined ? version : `${version} (commit ${buildCommit})`;
