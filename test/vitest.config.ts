// One project per tier (house rules: pure and feature tests are beside the code, the rest under test/). Tests of the
// server run twice: on SQLite in the project unit, on PostgreSQL in a project of their own. The CLI and the app hold no
// SQL and call the same endpoints, so their tests run on SQLite alone. The files of both share processes, because
// importing the server takes longer than most of them. A file that depends on the state of its process names an
// environment of its own on its first line, and gets a process of its own (test/structure/own-processes.test.ts).
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { engineVariable, secretsVariable } from './support/engines.ts';
import { filterByLength, selectByLength, tags } from './support/long-tests.ts';
import { memoryFolder } from './support/memory-folder.ts';
import { openWholeServers } from './support/whole-servers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const list = (pattern: string) => globSync(pattern, { cwd: root });
const beside = list('{shared,server,cli,verifier,desktop}/src/**/*.test.ts');
const onServers = openWholeServers(root, list('server/src/**/*.test.ts'));

type More = {
  readonly timeout?: number;
  readonly engine?: 'sqlite' | 'postgres';
  /** Its servers are looked through for secrets that they wrote. */
  readonly watched?: true;
  /** Its files share processes. */
  readonly shared?: true;
  /** Temporary folders are in memory: what a disk does is tested by contracts and faults. */
  readonly inMemory?: true;
  /** None of its tests belong to `npm test`. */
  readonly apart?: true;
};

const project = (name: string, files: string[], more: More = {}) => ({
  test: {
    name,
    root,
    include: more.apart ? files : selectByLength(root, files, more.engine),
    tags,
    tagsFilter: more.apart ? undefined : filterByLength(more.engine),
    pool: 'forks' as const,
    isolate: more.shared !== true,
    unstubEnvs: true,
    setupFiles: more.shared ? ['test/support/shared-process.ts'] : [],
    testTimeout: more.timeout ?? 60_000, // ends what hangs; no test is meant to be that slow
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } }, // a second, as it is by itself, is nothing where two share a processor
    env: {
      ...(more.engine && { [engineVariable]: more.engine }),
      ...(more.watched && { [secretsVariable]: 'yes' }),
      ...(more.inMemory && { TMPDIR: memoryFolder() }),
    },
    globalSetup: more.engine === 'sqlite' ? [] : ['test/support/global-postgres.ts'],
  },
});

export default defineConfig({
  test: {
    maxWorkers: 4, // for two cores: tests also wait, for leases to end and for servers to start
    projects: [
      project('unit', beside, { engine: 'sqlite', shared: true, inMemory: true }),
      project('postgres', onServers, { engine: 'postgres', timeout: 120_000, shared: true, inMemory: true }),
      project('contracts', list('test/contracts/**/*.test.ts'), { timeout: 300_000, shared: true }),
      project('structure', list('test/structure/**/*.test.ts'), { timeout: 120_000, inMemory: true, shared: true }),
      project('vectors', list('test/vectors/**/*.test.ts'), { timeout: 300_000, engine: 'sqlite', inMemory: true }),
      project('journeys', list('test/journeys/**/*.test.ts'), {
        timeout: 300_000,
        engine: 'sqlite',
        watched: true,
        inMemory: true,
      }),
      project('long', list('test/long/**/*.test.ts'), {
        timeout: 300_000,
        engine: 'sqlite',
        watched: true,
        apart: true,
      }),
      project('faults', list('test/faults/**/*.test.ts'), { timeout: 1_800_000, watched: true, apart: true }),
    ],
  },
});
