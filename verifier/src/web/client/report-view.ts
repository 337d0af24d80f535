// The report on the page: verdict, meaning, next steps, facts, all checks.

import { element, strokes } from '@recordproof/shared/browser/elements.ts';
import { verifierWords } from '@recordproof/shared/words/verifier.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import { existenceToText } from '../../existence/plain-text.ts';
import { checkTexts } from '../../report/check-texts.ts';
import { listFacts } from '../../report/facts.ts';
import { describeFinding } from '../../report/finding-texts.ts';
import { listNextSteps } from '../../report/next-steps.ts';
import { explain } from '../../report/outcome-texts.ts';
import { toTextReport } from '../../report/text-report.ts';
import type { CheckStatus } from '../../verify/check-codes.ts';
import type { CheckResult, Outcome, VerificationReport } from '../../verify/report.ts';
import { toExistence, toFact } from './existence-view.ts';
import type { Answer } from './run.ts';

const language = toLanguage(document.documentElement.lang);
const texts = verifierWords[language];

const circle = 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18';
const pictures: Readonly<Record<Outcome, string>> = {
  VALID: `${circle}M8 12.5l2.7 2.7L16 9.5`,
  INVALID: `${circle}M9 9l6 6M15 9l-6 6`,
  INDETERMINATE: `${circle}M9.6 9.4a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2 1-1.2 1.9M12 16.4v.1`,
  ERROR: 'M12 4L2.8 20h18.4zM12 10v4.5M12 17.2v.1',
};

type Standing = CheckStatus | 'NOT_RUN';

/** The order of display. */
const order: readonly Standing[] = ['FAIL', 'ERROR', 'INDETERMINATE', 'NOT_RUN', 'PASS'];

const standingOf = ({ status, code }: CheckResult): Standing => (code === 'NOT_RUN' ? 'NOT_RUN' : status);
const rankOf = (check: CheckResult): number => order.indexOf(standingOf(check));

/** Names of the selected files, which a report does not contain. */
type ChosenNames = { original: string; proof: string };

export function showReport(section: HTMLElement, answer: Answer, names: ChosenNames): void {
  const { report, existence, unanswered } = answer;
  const checks = report.checks.toSorted((a, b) => rankOf(a) - rankOf(b)).map(toCheck);
  const chosen: [string, string][] = [
    [texts.fileChosen, names.original],
    [texts.archiveChosen, names.proof],
  ];
  section.replaceChildren(
    toVerdict(report),
    toActions(answer),
    ...(existence === undefined ? [] : toExistence(existence.told)),
    ...(unanswered === undefined ? [] : [element('p', { id: 'unanswered' }, texts.unanswered(unanswered))]),
    element('h3', {}, texts.compared),
    element('dl', { class: 'facts' }, ...[...chosen, ...listFacts(report, language)].flatMap(toFact)),
    element('div', { class: 'list-head' }, element('h3', {}, toCountText(report)), toOpenAll(checks)),
    ...checks,
  );
  section.hidden = false;
}

function toVerdict(report: VerificationReport): HTMLElement {
  const { headline, meaning, limits } = explain(report, language);
  const steps = listNextSteps(report, language);
  const text = element(
    'div',
    {},
    element('p', { class: 'outcome' }, report.outcome),
    element('h2', { id: 'verdict', tabindex: '-1' }, headline),
    element('p', {}, element('strong', {}, texts.means), meaning),
    element('p', {}, element('strong', {}, texts.meansNot), limits),
  );
  if (steps.length > 0)
    text.append(
      element('p', {}, element('strong', {}, texts.canDo)),
      element('ul', { class: 'hints' }, ...steps.map(step => element('li', {}, step))),
    );
  return element('div', { class: `verdict ${report.outcome}` }, strokes(pictures[report.outcome]), text);
}

function toActions({ report, existence }: Answer): HTMLElement {
  const day = report.verifiedAt.slice(0, 10);
  const print = element('button', { type: 'button', class: 'plain' }, texts.print);
  print.addEventListener('click', () => globalThis.print());
  return element(
    'div',
    { class: 'actions' },
    toDownload(texts.saveJson, `verification-${day}.json`, 'application/json', () =>
      JSON.stringify({ ...report, existence: existence?.report }, null, 2),
    ),
    toDownload(texts.saveReadable, `verification-${day}.txt`, 'text/plain', () =>
      [toTextReport(report, { isComplete: true }), existence === undefined ? '' : existenceToText(existence.told)].join(
        '\n',
      ),
    ),
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

function toCountText({ checks }: VerificationReport): string {
  const passed = checks.filter(check => check.status === 'PASS').length;
  return texts.passed(passed, checks.length);
}

function toOpenAll(checks: readonly HTMLDetailsElement[]): HTMLElement {
  const button = element('button', { type: 'button', class: 'plain' }, texts.openAll);
  button.addEventListener('click', () => {
    const isOpening = checks.some(check => !check.open);
    for (const check of checks) check.open = isOpening;
    button.textContent = isOpening ? texts.closeAll : texts.openAll;
  });
  return button;
}

function toCheck(check: CheckResult): HTMLDetailsElement {
  const { id, code, evidence } = check;
  const standing = standingOf(check);
  const question = checkTexts[language][id];
  const finding = describeFinding(check, language) ?? question;
  const [title, more] = standing === 'NOT_RUN' ? [question, finding] : [finding, question];
  const facts = Object.entries({ check: id, code, ...evidence }).map(([name, value]) => [name, String(value)] as const);
  const summary = element(
    'summary',
    {},
    element('span', { class: 'mark' }, texts.marks[standing]),
    element('span', { class: 'about' }, title),
  );
  const list = element('dl', { class: 'facts' }, ...facts.flatMap(toFact));
  const body = element('div', { class: 'body' }, ...(more === title ? [] : [element('p', {}, more)]), list);
  const row = element('details', { class: `check ${standing}` }, summary, body);
  row.open = standing === 'FAIL' || standing === 'ERROR';
  return row;
}
