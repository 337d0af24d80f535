// Owns the report for people: verdict first, what it means and does not mean, then what was compared, then each check.
// Plain text of at most 100 columns; holds nothing that is not in the JSON report.
import type { CheckResult, CheckStatus, VerificationReport } from '../verify/report.ts';
import { listFacts } from './facts.ts';
import { outcomeTexts } from './outcome-texts.ts';

const columns = 100;

const marks: Readonly<Record<CheckStatus, string>> = {
  PASS: 'passed',
  FAIL: 'FAILED',
  INDETERMINATE: 'open',
  ERROR: 'ERROR',
};

export const toTextReport = (report: VerificationReport): string =>
  ['RecordProof verification report', '', ...reportLines(report), ''].join('\n');

export function reportLines(report: VerificationReport): string[] {
  const { headline, meaning, limits } = outcomeTexts[report.outcome];
  return [
    `Result: ${report.outcome}`,
    `        ${headline}`,
    '',
    ...wrap(`What this means. ${meaning}`, ''),
    ...wrap(`What it does not mean. ${limits}`, ''),
    '',
    ...factLines(report),
    '',
    'Checks',
    ...report.checks.flatMap(checkLines),
  ];
}

const factLines = (report: VerificationReport): string[] =>
  listFacts(report).map(([name, value]) => `${name.padEnd(18)}${value}`);

function checkLines(check: CheckResult): string[] {
  if (check.code === 'NOT_RUN')
    return [`  not run ${check.id} (waits for ${check.evidence.waitsFor ?? 'an earlier check'})`];
  const lines = wrap(`${marks[check.status].padEnd(8)}${check.id}: ${check.message}`, '          ').map(
    line => `  ${line}`,
  );
  if (check.status === 'PASS') return lines;
  const evidence = Object.entries({ code: check.code, ...check.evidence });
  return [...lines, ...evidence.map(([name, value]) => `            ${name}: ${value}`)];
}

/** Breaks at spaces; a word longer than a line stays whole, because it is a digest that somebody will copy. */
export function wrap(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns - 2) {
      lines.push(line);
      line = indent + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
