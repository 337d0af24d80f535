// The three statements of a verification on a page: the local comparison, the server's answer, external vouchers.
import { element } from '@recordproof/shared/browser/elements.ts';
import type { StatementTexts } from '../../report/statements.ts';

export const toStatements = ({ headline, statements, limits }: StatementTexts): HTMLElement =>
  element(
    'div',
    { class: 'statements' },
    element('p', { class: 'headline' }, headline),
    ...statements.map(({ id, standing, mark, title, lines }) =>
      element(
        'div',
        { class: `statement ${standing}`, 'data-statement': id },
        element('p', {}, element('strong', {}, title), ' ', element('span', { class: 'mark' }, mark)),
        ...lines.map(line => element('p', { class: 'line' }, line)),
      ),
    ),
    element('p', { class: 'line' }, limits),
  );
