// Hands our command classes to oclif as one plugin that is made in memory: no search through folders, and the same
// inside a bundle.
import { fileURLToPath } from 'node:url';
import type { Command, Interfaces } from '@oclif/core';
import { Config } from '@oclif/core/config';
import type { CommandClass } from './command.ts';
import { topics } from './command-table.ts';
import { version } from './version.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest: Interfaces.PJSON = {
  name: 'recordproof',
  version,
  description: 'Store files with evidence of what they were and when, and work with a RecordProof server.',
  oclif: { bin: 'recordproof', dirname: 'recordproof', topicSeparator: ' ', topics: { ...topics } },
};

const named = <T extends { name: string }>(things: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(things).map(([name, thing]) => [name, { ...thing, name }]));

function toLoadable(found: CommandClass): Command.Loadable {
  const { id, summary, description, examples, usage, args, flags, baseFlags } = found;
  return {
    id,
    summary,
    description,
    examples,
    usage,
    args: named(args as Record<string, Interfaces.Arg<unknown>>),
    flags: named({ ...baseFlags, ...flags } as Record<string, Interfaces.Flag<unknown>>),
    aliases: [],
    hidden: false,
    hiddenAliases: [],
    load: async () => found,
  } as unknown as Command.Loadable;
}

export function loadOclif(commands: readonly CommandClass[]): Promise<Config> {
  const plugin = {
    name: manifest.name,
    alias: manifest.name,
    version,
    root,
    type: 'core',
    pjson: manifest,
    commands: commands.map(toLoadable),
    topics: Object.entries(topics).map(([name, topic]) => ({ name, ...topic })),
    hooks: {},
    valid: true,
    isRoot: true,
  } as unknown as Interfaces.Plugin;
  return Config.load({ root, pjson: manifest, plugins: new Map([[manifest.name, plugin]]) } as Interfaces.Options);
}
