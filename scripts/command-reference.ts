// The reference of the command line, from its table of commands. With --write it goes into docs/guide/commands.md; a test
// compares the two.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CommandText, type Item, type Reference, readReference } from './package/command-reference.ts';

export const referenceFile = fileURLToPath(new URL('../docs/guide/commands.md', import.meta.url));

const plain = (text: string): string => text.replaceAll(/[<>|*_]/g, sign => `\\${sign}`);
const toList = (items: readonly Item[]): string =>
  items.map(({ term, text }) => `- \`${term}\`: ${plain(text)}`).join('\n');
const toExample = ({ term, text }: Item): string => `# ${text}\n${term}`;

function toSection({ usage, summary, description, args, flags, examples }: CommandText): string {
  const title = usage.split(' ').filter(word => !/^[<[]/.test(word));
  const shown = examples.length === 0 ? [] : ['```', ...examples.map(toExample), '```'];
  const parts = [
    `## ${title.join(' ')}`,
    plain(description === '' ? summary : `${summary}. ${description}`),
    `\`${usage}\``,
    toList([...args, ...flags]),
    shown.join('\n'),
  ];
  return parts.filter(part => part !== '').join('\n\n');
}

const toMarkdown = (reference: Reference): string =>
  `${[
    '# Every command of `recordproof`',
    'Written by `npm run commands` from what the commands say of themselves. How to work with them: [cli.md](cli.md).',
    '## Flags of every command',
    toList(reference.globalFlags),
    'One word stands for another:',
    toList(reference.aliases),
    ...reference.commands.map(toSection),
  ].join('\n\n')}\n`;

export const writeReference = async (): Promise<string> => toMarkdown(await readReference());

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await writeReference();
  if (process.argv.includes('--write')) writeFileSync(referenceFile, text);
  else process.stdout.write(text);
}
