// Man pages: of the command line from its table of commands, of server and verifier from their help.
import { spawnSync } from 'node:child_process';
import { foldHelp } from '@recordproof/shared/fold-help.ts';
import type { CommandText, Item, Reference } from '../command-reference.ts';

type Page = { readonly name: string; readonly summary: string; readonly version: string; readonly seconds: number };

/** Escapes roff syntax: a dot or an apostrophe at the start of a line, and a backslash. */
const toRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');

const quoted = (text: string): string => `"${toRoff(text).replaceAll('"', '\\(dq')}"`;
/** Preformatted text. A page has 80 columns, 7 of them margin. */
const toPreformatted = (text: string): string => `.nf\n${toRoff(foldHelp(text.trimEnd(), 73))}\n.fi`;

function toPage({ name, summary, version, seconds }: Page, sections: readonly (readonly [string, string])[]): string {
  const day = new Date(seconds * 1000).toISOString().slice(0, 10);
  // Left-aligned: justified text has uneven gaps.
  const head = `.TH ${name.toUpperCase()} 1 ${day} "RecordProof ${version}" "User Commands"\n.ad l`;
  const body = sections.map(([title, text]) => `.SH ${quoted(title)}\n${text}`);
  return `${[head, `.SH NAME\n${toRoff(name)} \\- ${toRoff(summary)}`, ...body].join('\n')}\n`;
}

/** A flag with many values may break between any two. */
const toTerm = (term: string): string => quoted(term).replaceAll('|', '|\\:');

const toList = (items: readonly Item[]): string =>
  items.map(({ term, text }) => `.TP\n.B ${toTerm(term)}\n${toRoff(text)}`).join('\n');

function toCommand({ usage, summary, description, args, flags, examples }: CommandText): string {
  const exampleText = examples.map(({ term, text }) => `.P\n${toRoff(text)}\n.RS\n.nf\n${toRoff(term)}\n.fi\n.RE`);
  const paragraphs = [summary, description].filter(text => text !== '').map(toRoff);
  const lists = [...args, ...flags].length > 0 ? [toList([...args, ...flags])] : [];
  return [`.SS ${quoted(usage)}`, paragraphs.join('\n.P\n'), ...lists, ...exampleText].join('\n');
}

export function toCommandLineManual(reference: Reference, page: Omit<Page, 'name' | 'summary'>): string {
  const summary = 'store files with evidence of what they were and when';
  return toPage({ name: 'recordproof', summary, ...page }, [
    ['SYNOPSIS', '.B recordproof\n.I command\n[flags]'],
    ['FLAGS OF EVERY COMMAND', toList(reference.globalFlags)],
    ['COMMANDS', reference.commands.map(toCommand).join('\n')],
    ['SEE ALSO', '.BR recordproof\\-server (1),\n.BR recordproof\\-verify (1)'],
  ]);
}

function helpOf(program: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, [...words, '--help'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} --help failed: ${stderr}`);
  return stdout;
}

/** The help of each command that the program's help lists. */
function listHelps(program: string, name: string, help: string): (readonly [string, string])[] {
  const listed = [...help.matchAll(/^ {2}([a-z][a-z-]*(?: [a-z][a-z-]*)?)(?= )/gm)];
  const commands = new Set(listed.map(([, words = '']) => words.trim()).filter(words => words !== name));
  return [...commands]
    .map(words => [`${name} ${words}`, helpOf(program, words.split(' '))] as const)
    .filter(([, text]) => text !== help);
}

/** `program`: path of the executable, which is run with --help. */
export function toHelpManual(program: string, page: Page): string {
  const help = helpOf(program, []);
  const commands = listHelps(program, page.name, help).map(([title, text]) => [title, toPreformatted(text)] as const);
  return toPage(page, [['DESCRIPTION', toPreformatted(help)], ...commands]);
}
