// Command reference of the guide, and a CLI command for every administration endpoint.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { referenceFile, writeReference } from '../../scripts/command-reference.ts';
import { listEndpoints } from '../../scripts/routes.ts';
import { runKinds } from '../../shared/src/api/run-kinds.ts';
import type { RunEndpoints } from '../../shared/src/api/runs.ts';

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

const callOf = (name: string): string => `\\b(?:call|open|endpoint|callLong)\\b[^;]*\\b${name}\\b`;

const runWords = ['list', 'get', 'items', 'pause', 'resume', 'start', 'cancel', 'retry'] as const;
const changes: ReadonlySet<string> = new Set(['start', 'cancel', 'retry']);

/**
 * The commands of a kind of runs call its endpoints by `endpoints: runKinds.<kind>.runs`, or are made by
 * `plainRunEntries('<kind>', …)`. Start, cancel and retry are also called by name.
 */
const runEndpoints = new Map(
  Object.entries(runKinds).flatMap(([kind, { runs }]: [string, { readonly runs: RunEndpoints }]) =>
    runWords.flatMap(word => {
      const name = runs[word]?.name;
      if (name === undefined) return [];
      const pattern = changes.has(word)
        ? `${callOf(name)}|\\bplainRunEntries\\('${kind}', [^)]*'${word}'`
        : `\\bendpoints: runKinds\\.${kind}\\.runs\\b|\\bplainRunEntries\\('${kind}'`;
      return [[name, pattern] as const];
    }),
  ),
);

const toCallPattern = (name: string): RegExp => new RegExp(runEndpoints.get(name) ?? callOf(twins.get(name) ?? name));

const forAdministrators = (await listEndpoints()).filter(({ access }) => /^system:|:admin$/.test(access));

test.each(forAdministrators.map(({ name, method, path }) => [`${method} ${path}`, name]))(
  'every administration endpoint has a command: %s',
  (_call, name) => {
    const pattern = toCallPattern(name);
    expect(commands.some(text => pattern.test(text))).toBe(true);
  },
);
