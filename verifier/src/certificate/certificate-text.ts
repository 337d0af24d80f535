// The certificate as plain text.
import { count } from '@recordproof/shared/words/words.ts';
import { allChecks, factLines, verdictLines, wrap } from '../report/text-report.ts';
import type { Certificate, Input } from './certificate.ts';

/** At most 80 columns, except for names, digests and the command. */
export function toCertificateText(certificate: Certificate): string {
  const { title, statement, note, inputs, asked, about, command, report } = certificate;
  return [
    title,
    '='.repeat(title.length),
    '',
    ...(statement === undefined ? [] : [...wrap(statement, ''), '']),
    ...verdictLines(report),
    ...(note === undefined ? [] : ['', ...wrap(note, '')]),
    '',
    ...factLines(report),
    '',
    ...allChecks(report),
    '',
    'What was checked',
    ...inputs.flatMap(inputLines),
    '',
    ...wrap(`Who was asked. ${asked}`, ''),
    '',
    'About this document',
    ...about.flatMap(line => wrap(line, '')),
    '',
    `  ${command}`,
    '',
  ].join('\n');
}

const inputLines = ({ role, name, bytes, sha256 }: Input): string[] => [
  `  ${role.padEnd(14)}  ${name}`,
  `  ${''.padEnd(14)}  ${bytes === undefined ? 'not read to its end' : `${sha256}, ${count(bytes, 'byte', 'bytes')}`}`,
];
