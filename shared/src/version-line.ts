import { buildCommit } from './build-commit.ts';

/** What a program answers when it is asked for its version. */
export const toVersionLine = (version: string): string =>
  buildCommit === undefined ? version : `${version} (commit ${buildCommit})`;
