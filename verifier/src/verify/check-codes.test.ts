// The table of docs/spec/verification.md says of every check and every code what it makes of the whole: it is this one.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CodeEffect, checkCodes, checkIds, commonCodes, lookupFailures, statusOf } from './check-codes.ts';

const page = readFileSync(new URL('../../../docs/spec/verification.md', import.meta.url), 'utf8');

const columns: readonly CodeEffect[] = ['ERROR', 'INVALID', 'INDETERMINATE'];

/** `KEY_…` stands for every way to get no usable answer. */
const expand = (code: string): string[] =>
  code.endsWith('…') ? lookupFailures.map(failure => code.replace('…', failure)) : [code];

const split = (cell: string): string[] => cell.split(',').flatMap(item => item.trim() || []);

function readTable(): Map<string, Record<string, string>> {
  const [, below = ''] = page.split(/^\| check +\| ERROR .*\n.*\n/m);
  const rows = below.slice(0, below.indexOf('\n\n')).split('\n');
  return new Map(
    rows.flatMap(row => {
      const [names = '', ...cells] = row.split('|').slice(1, -1);
      const codes = cells.flatMap((cell, at) =>
        split(cell)
          .flatMap(expand)
          .map(code => [code, columns[at]]),
      );
      return split(names).map(name => [name.replaceAll('`', ''), Object.fromEntries(codes)] as const);
    }),
  );
}

test('the table of the specification equals the table of the code', () => {
  const table = readTable();
  expect([...table.keys()]).toEqual(checkIds);
  for (const id of checkIds) expect([id, table.get(id)]).toEqual([id, { ...checkCodes[id] }]);
});

test('common codes and lookup failures are on the page', () => {
  for (const [code, verdict] of Object.entries(commonCodes)) expect(page).toContain(`\`${code}\` (${verdict})`);
  const prose = page.replaceAll(/\s+/g, ' ');
  expect(prose).toContain(`${lookupFailures.slice(0, -1).join(', ')} or ${lookupFailures.at(-1)}.`);
});

test('a code has one verdict in every check', () => {
  const verdicts = new Map<string, Set<string>>();
  for (const id of checkIds)
    for (const [code, verdict] of Object.entries(checkCodes[id]))
      verdicts.set(code, (verdicts.get(code) ?? new Set()).add(verdict));
  expect([...verdicts].filter(([, found]) => found.size > 1)).toEqual([]);
});

test('a status depends on the code alone', () => {
  expect(statusOf('archive.structure', 'OK')).toBe('PASS');
  expect(statusOf('archive.structure', 'ARCHIVE_TOO_LARGE')).toBe('ERROR');
  expect(statusOf('policy.contract', 'POLICY_CHANGED')).toBe('FAIL');
  expect(statusOf('policy.contract', 'NOT_RUN')).toBe('INDETERMINATE');
});
