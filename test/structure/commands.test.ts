import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { referenceFile, writeReference } from '../../scripts/command-reference.ts';
import { listEndpoints } from '../../scripts/routes.ts';
import { runKinds } from '../../shared/src/api/run-kinds.ts';

test('the guide lists every command with its flags: npm run commands', async () => {
  expect(readFileSync(referenceFile, 'utf8')).toBe(await writeReference());
});

/** Another endpoint does the same for the command line. */
const twins: ReadonlyMap<string, string> = new Map([
  ['searchAuditLogs', 'listAuditLogs'],
  ['getSystemHealth', 'getHealth'],
  ['getUserFactors', 'listUserFactors'],
  ['forceDeleteFile', 'changeFileStatus'],
]);

const sources = fileURLToPath(new URL('../../cli/src/', import.meta.url));
const commands = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map(name => readFileSync(join(sources, name), 'utf8'));

/** The commands of a kind of runs call its endpoints by `endpoints: runKinds.<kind>.runs`, or are all made by `runTopic`. */
const runEndpoints = new Map(
  Object.entries(runKinds).flatMap(([kind, { runs }]) => [
    ...[runs.list, runs.get, runs.items, runs.pause, runs.resume].map(
      ({ name }) => [name, `\\bendpoints: runKinds\\.${kind}\\.runs\\b|\\brunTopic\\('${kind}'`] as const,
    ),
    ...('retry' in runs
      ? [[runs.retry.name, `\\bendpoint: ${runs.retry.name}\\b|\\brunTopic\\('${kind}'`] as const]
      : []),
  ]),
);

const toCallPattern = (name: string): RegExp =>
  new RegExp(runEndpoints.get(name) ?? `\\b(?:call|open|endpoint|callLong)\\b[^;]*\\b${twins.get(name) ?? name}\\b`);

const forAdministrators = (await listEndpoints()).filter(({ access }) => /^system:|:admin$/.test(access));

test.each(forAdministrators.map(({ name, method, path }) => [`${method} ${path}`, name]))(
  'every administration endpoint has a command: %s',
  (_call, name) => {
    const pattern = toCallPattern(name);
    expect(commands.some(text => pattern.test(text))).toBe(true);
  },
);
