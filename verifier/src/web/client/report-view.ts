// The report on the page: verdict, what it means and does not mean, what to do next, the facts, every check.
import { checkTexts } from '../../report/check-texts.ts';
import { listFacts } from '../../report/facts.ts';
import { listNextSteps } from '../../report/next-steps.ts';
import { outcomeTexts } from '../../report/outcome-texts.ts';
import { toTextReport } from '../../report/text-report.ts';
import type { CheckResult, CheckStatus, Outcome, VerificationReport } from '../../verify/report.ts';
import { element, strokes } from './elements.ts';

const circle = 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18';
const pictures: Readonly<Record<Outcome, string>> = {
  VALID: `${circle}M8 12.5l2.7 2.7L16 9.5`,
  INVALID: `${circle}M9 9l6 6M15 9l-6 6`,
  INDETERMINATE: `${circle}M9.6 9.4a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2 1-1.2 1.9M12 16.4v.1`,
  ERROR: 'M12 4L2.8 20h18.4zM12 10v4.5M12 17.2v.1',
};

const marks: Readonly<Record<CheckStatus, string>> = {
  FAIL: '✕ failed',
  ERROR: '! error',
  INDETERMINATE: '? open',
  PASS: '✓ passed',
};
/** What needs attention comes first. */
const order = Object.keys(marks) as CheckStatus[];

export function showReport(place: HTMLElement, report: VerificationReport): void {
  const checks = report.checks.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status)).map(toCheck);
  place.replaceChildren(
    toVerdict(report),
    toActions(report),
    element('h3', {}, 'What was compared'),
    element('dl', { class: 'facts' }, ...listFacts(report).flatMap(toFact)),
    element('div', { class: 'list-head' }, element('h3', {}, toCountText(report)), toOpenAll(checks)),
    ...checks,
  );
  place.hidden = false;
}

function toVerdict(report: VerificationReport): HTMLElement {
  const { headline, meaning, limits } = outcomeTexts[report.outcome];
  const steps = listNextSteps(report);
  const text = element(
    'div',
    {},
    element('p', { class: 'outcome' }, report.outcome),
    element('h2', { id: 'verdict', tabindex: '-1' }, headline),
    element('p', {}, element('strong', {}, 'What this means. '), meaning),
    element('p', {}, element('strong', {}, 'What it does not mean. '), limits),
  );
  if (steps.length > 0)
    text.append(
      element('p', {}, element('strong', {}, 'What you can do.')),
      element('ul', { class: 'hints' }, ...steps.map(step => element('li', {}, step))),
    );
  return element('div', { class: `verdict ${report.outcome}` }, strokes(pictures[report.outcome]), text);
}

function toActions(report: VerificationReport): HTMLElement {
  const day = report.verifiedAt.slice(0, 10);
  const print = element('button', { type: 'button', class: 'plain' }, 'Print');
  print.addEventListener('click', () => globalThis.print());
  return element(
    'div',
    { class: 'actions' },
    toDownload('Save report (JSON)', `verification-${day}.json`, 'application/json', () =>
      JSON.stringify(report, null, 2),
    ),
    toDownload('Save report (text)', `verification-${day}.txt`, 'text/plain', () => toTextReport(report)),
    print,
  );
}

function toDownload(label: string, name: string, type: string, make: () => string): HTMLElement {
  const button = element('button', { type: 'button', class: 'plain' }, label);
  button.addEventListener('click', () => {
    const url = URL.createObjectURL(new Blob([make()], { type }));
    element('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  return button;
}

const toFact = ([name, value]: readonly [string, string]): HTMLElement[] => [
  element('dt', {}, name),
  element('dd', {}, element('code', {}, value)),
];

function toCountText({ checks }: VerificationReport): string {
  const passed = checks.filter(check => check.status === 'PASS').length;
  return `${passed} of ${checks.length} checks passed`;
}

function toOpenAll(checks: readonly HTMLDetailsElement[]): HTMLElement {
  const button = element('button', { type: 'button', class: 'plain' }, 'Open all');
  button.addEventListener('click', () => {
    const isOpening = checks.some(check => !check.open);
    for (const check of checks) check.open = isOpening;
    button.textContent = isOpening ? 'Close all' : 'Open all';
  });
  return button;
}

function toCheck({ id, status, code, message, evidence }: CheckResult): HTMLDetailsElement {
  const facts = Object.entries({ check: id, code, ...evidence }).map(([name, value]) => [name, String(value)] as const);
  const check = element(
    'details',
    { class: `check ${status}` },
    element(
      'summary',
      {},
      element('span', { class: 'mark' }, marks[status]),
      element('span', { class: 'about' }, message),
    ),
    element(
      'div',
      { class: 'body' },
      element('p', {}, checkTexts[id] ?? ''),
      element('dl', { class: 'facts' }, ...facts.flatMap(toFact)),
    ),
  );
  check.open = status === 'FAIL' || status === 'ERROR';
  return check;
}
