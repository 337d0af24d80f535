// The content of an existence report as plain text. It has no texts of its own, so that the page does not include them
// twice.
import { oneLine } from '../shell/terminal.ts';
import type { ExistenceText } from './describe-existence.ts';

const marks = { HOLDS: '+', MISSING: '?', CONTRADICTED: '!', DAMAGED: '!' } as const;

export function existenceToText({ outcome, headline, reason, facts, sections, advice, limits }: ExistenceText): string {
  const width = Math.max(...facts.map(([name]) => name.length)) + 1;
  const lines = [
    `${outcome.replace('_', ' ')}: ${headline.replace(/^[TNS]/, first => first.toLowerCase())}`,
    ...(reason === undefined ? [] : [reason.join(': ')]),
    ...facts.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`),
    ...sections.flatMap(({ title, rows }) => [
      '',
      `${title}:`,
      ...rows.flatMap(({ standing, title, lines, code }) => [
        `  ${marks[standing]} ${title}${standing === 'HOLDS' || code === undefined ? '' : ` [${code}]`}`,
        ...lines.map(line => `      ${line}`),
      ]),
    ]),
    '',
    ...advice,
    limits,
  ];
  return `${lines.map(oneLine).join('\n')}\n`;
}
