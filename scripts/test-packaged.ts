// `npm run test:packaged [-- FILE…]`: packages the programs and runs the journeys and the command line tests on them
// instead of on the repository.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const named = process.argv.slice(2);
const files = named.length > 0 ? named : ['test/journeys', 'test/long', 'cli/src'];
const folder = mkdtempSync(join(tmpdir(), 'recordproof-packaged-'));
try {
  const env = { ...process.env, TEST_PROGRAMS: folder };
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1;
  process.exitCode =
    run('scripts/package.ts', '--out', folder) ||
    run('scripts/test.mjs', '--tier', 'unit', '--tier', 'journeys', '--tier', 'long', ...files);
} finally {
  rmSync(folder, { recursive: true });
}
