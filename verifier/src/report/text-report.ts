// The report as text for terminals: what was compared, the checks that did not pass and, at the end of the screen, the
// verdict, its meaning and the next steps. Contains nothing that is not in the JSON report.
import type { CheckStatus } from '../verify/check-codes.ts';
import type { CheckResult, Outcome, VerificationReport } from '../verify/report.ts';
import { listFacts } from './facts.ts';
import { listNextSteps } from './next-steps.ts';
import { type Explanation, explain } from './outcome-texts.ts';

const columns = 80;

const marks: Readonly<Record<CheckStatus, string>> = {
  PASS: 'passed',
  FAIL: 'FAILED',
  INDETERMINATE: 'undetermined',
  ERROR: 'ERROR',
};

type TextReportOptions = {
  /** Also shows passed checks. */
  isComplete?: boolean;
  isColoured?: boolean;
};

export function toTextReport(report: VerificationReport, { isComplete, isColoured }: TextReportOptions = {}): string {
  return [
    'RecordProof verification report',
    '',
    ...factLines(report),
    '',
    ...(isComplete === true ? allChecks(report) : openChecks(report)),
    '',
    ...verdictLines(report, isColoured),
    ...nextStepLines(report),
    '',
  ].join('\n');
}

const colours: Readonly<Record<Outcome, number>> = { VALID: 32, INVALID: 31, INDETERMINATE: 33, ERROR: 35 };

export const verdictLines = (report: VerificationReport, isColoured = false): string[] =>
  toVerdictLines(report.outcome, explain(report), isColoured);

export function toVerdictLines(outcome: Outcome, explanation: Explanation, isColoured: boolean): string[] {
  const { headline, meaning, limits } = explanation;
  const [start, end] = isColoured ? [`\u001b[1;${colours[outcome]}m`, '\u001b[0m'] : ['', ''];
  return [
    `Result: ${start}${outcome}${end}`,
    ...wrap(headline, '', columns - 8).map(line => `        ${line}`),
    '',
    ...wrap(`What this means. ${meaning}`, ''),
    ...wrap(`What it does not mean. ${limits}`, ''),
  ];
}

export function nextStepLines(report: VerificationReport): string[] {
  const steps = listNextSteps(report);
  return steps.length === 0 ? [] : ['', 'What to do next:', ...steps.flatMap(step => wrap(`- ${step}`, '  '))];
}

export const factLines = (report: VerificationReport): string[] =>
  listFacts(report).flatMap(([name, value]) =>
    18 + value.length <= columns ? [`${name.padEnd(18)}${value}`] : [name, `  ${value}`],
  );

export const allChecks = ({ checks }: VerificationReport): string[] => ['Checks', ...checks.flatMap(checkLines)];

/** Passed checks are counted; checks that wait for another one are omitted. */
export function openChecks({ checks }: VerificationReport): string[] {
  const passed = checks.filter(({ status }) => status === 'PASS').length;
  const waiting = checks.filter(({ code }) => code === 'NOT_RUN').length;
  const notRun = waiting === 0 ? '' : `, ${waiting} not run`;
  return [
    `Checks: ${passed} of ${checks.length} passed${notRun}; --all shows each`,
    ...checks.filter(({ status, code }) => status !== 'PASS' && code !== 'NOT_RUN').flatMap(checkLines),
  ];
}

function checkLines(check: CheckResult): string[] {
  if (check.code === 'NOT_RUN')
    return [`  not run ${check.id} (waits for ${check.evidence.waitsFor ?? 'an earlier check'})`];
  const lines = wrap(`${marks[check.status].padEnd(7)} ${check.id}: ${check.message}`, '          ').map(
    line => `  ${line}`,
  );
  if (check.status === 'PASS') return lines;
  const evidence = Object.entries({ code: check.code, ...check.evidence });
  return [...lines, ...evidence.map(([name, value]) => `            ${name}: ${value}`)];
}

/** Wraps at spaces; an overlong word, such as a digest, stays whole so that it can be copied. */
export function wrap(text: string, indent: string, width = columns): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width - 2) {
      lines.push(line);
      line = indent + word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
