// Help texts of a program from its command declarations, for the width of the terminal.
import { foldHelp } from '../fold-help.ts';
import type { CommandDeclaration, Option, Row } from './command.ts';

const maxTyped = 26;
/** If the width is unknown. */
const defaultColumns = 120;

export function toRows(rows: readonly Row[]): string {
  const width = Math.min(maxTyped, Math.max(...rows.map(([typed]) => typed.length)));
  return rows.map(([typed, meaning]) => `  ${typed.padEnd(width)}  ${meaning}\n`).join('');
}

const toRow = ([name, { placeholder, help }]: [string, Option]): Row => [
  placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`,
  help,
];

/** One table of rows per paragraph. */
function toTables({ path, arguments: named = [], words = [], options }: CommandDeclaration): string[] {
  const tables: { heading: string; rows: Row[] }[] = [
    { heading: '', rows: [...named, ...words.map(([word, meaning]): Row => [`${path} ${word}`, meaning])] },
  ];
  for (const entry of Object.entries(options)) {
    const { heading } = entry[1];
    if (heading !== undefined) tables.push({ heading: `${heading}\n`, rows: [] });
    tables.at(-1)?.rows.push(toRow(entry));
  }
  return tables.filter(({ rows }) => rows.length > 0).map(({ heading, rows }) => heading + toRows(rows));
}

const toUsage = ({ path, arguments: named = [], options }: CommandDeclaration): string =>
  [path, ...named.map(([word]) => word), ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ');

function toBlocks(program: string, command: CommandDeclaration): string[] {
  const usage = (command.usage ?? [toUsage(command)]).map(line => `  ${program} ${line}\n`).join('');
  const notes = command.notes === undefined ? [] : [command.notes];
  const forms = (command.forms ?? []).flatMap(form => toBlocks(program, form));
  return [`${command.summary}.\n`, usage, ...toTables(command), ...notes, ...forms];
}

/** `more`: further paragraphs. */
export const toHelp = (
  program: string,
  command: CommandDeclaration,
  { columns = defaultColumns, more = [] }: { columns?: number | undefined; more?: readonly string[] } = {},
): string => foldHelp([...toBlocks(program, command), ...more].join('\n'), columns);
