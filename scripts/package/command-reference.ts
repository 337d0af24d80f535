// What the command line knows of its own commands, as plain values: man page and guide are written from these.
import { aliases, loadAllCommands, topics } from '../../cli/src/command-table.ts';
import { globalFlags } from '../../cli/src/platform/global-flags.ts';
import type { CommandClass } from '../../cli/src/platform/topic.ts';

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
  const isPlain = typeof flag.default === 'string' || typeof flag.default === 'number';
  const text = isPlain ? `${summary} Unless told otherwise: ${flag.default}.` : summary;
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
