// Command line reference: the commands as plain values, and docs/guide/commands.md, which --write generates from them.
// A test compares the two; the man page is generated from the same values.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { aliases, loadAllCommands, topics } from '../cli/src/commands-by-id.ts';
import type { CommandClass } from '../cli/src/platform/command-class.ts';
import { globalFlags } from '../cli/src/platform/global-flags.ts';

export type Item = { readonly term: string; readonly text: string };
export type CommandText = {
  readonly usage: string;
  readonly summary: string;
  readonly description: string;
  readonly args: readonly Item[];
  readonly flags: readonly Item[];
  readonly examples: readonly Item[];
};
export type Reference = {
  readonly commands: readonly CommandText[];
  readonly globalFlags: readonly Item[];
  readonly topics: readonly Item[];
  readonly aliases: readonly Item[];
};

type Flags = CommandClass['flags'];
const oneLine = (text: string | undefined): string => (text ?? '').replaceAll(/\s+/g, ' ').trim();

function toFlag([name, flag]: [string, Flags[string]]): Item {
  const summary = oneLine(flag.summary ?? flag.description);
  if (flag.type === 'boolean') return { term: flag.allowNo ? `--[no-]${name}` : `--${name}`, text: summary };
  const chosen = flag.options === undefined ? `<${name}>` : flag.options.join('|');
  const isPlain = typeof flag.default === 'number' || (typeof flag.default === 'string' && flag.default !== '');
  const text = isPlain ? `${summary} Default: ${flag.default}.` : summary;
  return { term: `--${name}=${flag.helpValue ?? chosen}`, text };
}

const listFlags = (flags: Flags): Item[] =>
  Object.entries(flags)
    .filter(([, { hidden }]) => hidden !== true)
    .map(toFlag);

function toText(command: CommandClass): CommandText {
  const words = command.id.replaceAll(':', ' ');
  const [usage = ''] = [command.usage ?? []].flat();
  const examples = [command.examples ?? []].flat().filter(example => typeof example !== 'string');
  return {
    usage: `recordproof ${usage.replace('<%= command.id %>', words)}`,
    summary: oneLine(command.summary),
    description: oneLine(command.description),
    args: Object.entries(command.args).map(([term, { description }]) => ({ term, text: oneLine(description) })),
    flags: listFlags(command.flags),
    examples: examples.map(({ command: line, description }) => ({
      term: line.replace('<%= config.bin %>', 'recordproof'),
      text: oneLine(description),
    })),
  };
}

const toItems = (entries: ReadonlyMap<string, string>): Item[] => [...entries].map(([term, text]) => ({ term, text }));

export async function readReference(): Promise<Reference> {
  const commands = await loadAllCommands();
  return {
    commands: commands.map(toText),
    globalFlags: listFlags(globalFlags),
    topics: toItems(topics),
    aliases: toItems(aliases),
  };
}

export const referenceFile = fileURLToPath(new URL('../docs/guide/commands.md', import.meta.url));

const plain = (text: string): string => text.replaceAll(/[<>|*_]/g, sign => `\\${sign}`);
const toBullets = (items: readonly Item[]): string =>
  items.map(({ term, text }) => `- \`${term}\`: ${plain(text)}`).join('\n');
const toExample = ({ term, text }: Item): string => `# ${text}\n${term}`;

function toSection({ usage, summary, description, args, flags, examples }: CommandText): string {
  const title = usage.split(' ').filter(word => !/^[<[]/.test(word));
  const shown = examples.length === 0 ? [] : ['```', ...examples.map(toExample), '```'];
  const parts = [
    `## ${title.join(' ')}`,
    plain(description === '' ? summary : `${summary}. ${description}`),
    `\`${usage}\``,
    toBullets([...args, ...flags]),
    shown.join('\n'),
  ];
  return parts.filter(part => part !== '').join('\n\n');
}

const toMarkdown = (reference: Reference): string =>
  `${[
    '# Every command of `recordproof`',
    'Written by `npm run commands` from what the commands say of themselves. How to work with them: [cli.md](cli.md).',
    '## Flags of every command',
    toBullets(reference.globalFlags),
    'One word stands for another:',
    toBullets(reference.aliases),
    ...reference.commands.map(toSection),
  ].join('\n\n')}\n`;

export const writeReference = async (): Promise<string> => toMarkdown(await readReference());

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await writeReference();
  if (process.argv.includes('--write')) writeFileSync(referenceFile, text);
  else process.stdout.write(text);
}
