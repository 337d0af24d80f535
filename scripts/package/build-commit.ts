// The commit that a program is built from, which is compiled into it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

function git(...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`which commit this is, git does not say: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}

/** Marks a build from uncommitted sources. */
export function findCommit(): string {
  const changed = git('status', '--porcelain') === '' ? '' : '-changed';
  return git('rev-parse', '--short=12', 'HEAD') + changed;
}

/** In seconds; the timestamp of every file in a release. */
export const findCommitTime = (): number => Number(git('log', '-1', '--format=%ct'));

export const buildCommit = (commit: string): Plugin => ({
  name: 'build-commit',
  setup({ onLoad }) {
    const contents = `export const buildCommit = ${JSON.stringify(commit)};`;
    onLoad({ filter: /[\\/]shared[\\/]src[\\/]build-commit\.ts$/ }, () => ({ contents, loader: 'js' }));
  },
});
