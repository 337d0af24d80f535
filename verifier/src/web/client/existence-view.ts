// The existence answer on the page: the time, each voucher with its required trust, the steps.
import { element } from '@recordproof/shared/browser/elements.ts';
import type { ExistenceText } from '../../existence/describe-existence.ts';
import { outcomeClasses, standingClasses } from '../../existence/existence-report.ts';

type Row = ExistenceText['sections'][number]['rows'][number];

export function toExistence({
  outcome,
  title,
  headline,
  reason,
  facts,
  sections,
  advice,
  limits,
}: ExistenceText): HTMLElement[] {
  return [
    element('h3', {}, title),
    element(
      'div',
      { class: `verdict plain ${outcomeClasses[outcome]}`, id: 'existence' },
      element('p', { class: 'outcome' }, outcome),
      element('p', {}, element('strong', {}, headline)),
      ...(reason === undefined ? [] : [element('p', {}, `${reason[0]}: `, element('code', {}, reason[1]))]),
      ...[...advice, limits].map(line => element('p', {}, line)),
    ),
    ...(facts.length === 0 ? [] : [element('dl', { class: 'facts existence-facts' }, ...facts.flatMap(toFact))]),
    ...sections.flatMap(section => [element('h3', {}, section.title), ...section.rows.map(toRow)]),
  ];
}

export const toFact = ([name, value]: readonly [string, string]): HTMLElement[] => [
  element('dt', {}, name),
  element('dd', {}, element('code', {}, value)),
];

function toRow({ standing, mark, title, lines, code }: Row): HTMLElement {
  const row = element('div', { class: `check said ${standingClasses[standing]}` });
  const text = [title, ...lines].map((line, at) => element(at === 0 ? 'strong' : 'span', {}, line));
  if (standing !== 'HOLDS' && code !== undefined) text.push(element('code', {}, code));
  row.append(element('span', { class: 'mark' }, mark), element('span', { class: 'lines' }, ...text));
  return row;
}
