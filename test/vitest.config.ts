// One project per tier (house rules: pure and feature tests stand beside the code, the rest under test/).
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

const project = (name: string, include: string[], more: { timeout?: number; serial?: boolean } = {}) => ({
  test: {
    name,
    root,
    include,
    pool: 'forks' as const,
    testTimeout: more.timeout ?? 20_000,
    hookTimeout: 60_000,
    fileParallelism: !more.serial,
  },
});

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      project('unit', ['{shared,server,cli,verifier,desktop}/src/**/*.test.ts']),
      project('contracts', ['test/contracts/**/*.test.ts'], { timeout: 60_000 }),
      project('structure', ['test/structure/**/*.test.ts'], { timeout: 60_000 }),
      project('vectors', ['test/vectors/**/*.test.ts'], { timeout: 120_000 }),
      project('journeys', ['test/journeys/**/*.test.ts'], { timeout: 120_000 }),
      project('faults', ['test/faults/**/*.test.ts'], { timeout: 900_000, serial: true }),
    ],
  },
});
