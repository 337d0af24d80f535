// The commands as one oclif plugin in memory: oclif searches no folders, and a bundle works the same.
import { fileURLToPath } from 'node:url';
import type { Command, Interfaces } from '@oclif/core';
import { Config } from '@oclif/core/config';
import { aliases, loadAllCommands, loadCommand, topics } from './commands-by-id.ts';
import type { Installed } from './platform/command.ts';
import type { CommandClass } from './platform/command-class.ts';
import { version } from './platform/version.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const described = Object.fromEntries([...topics].map(([name, description]) => [name, { description }]));
const manifest: Interfaces.PJSON = {
  name: 'recordproof',
  version,
  description: 'Store files, and prove what they were and when, with a RecordProof server.',
  oclif: { bin: 'recordproof', dirname: 'recordproof', topicSeparator: ' ', topics: described },
};

const allCommands = async () => ({ commands: await loadAllCommands(), aliases });

const named = <T extends { name: string }>(entries: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).map(([name, one]) => [name, { ...one, name }]));

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
  };
}

export function loadOclif(commands: readonly CommandClass[]): Promise<Config> {
  const plugin: Interfaces.Plugin = {
    _base: `${manifest.name}@${version}`,
    name: manifest.name,
    alias: manifest.name,
    version,
    root,
    type: 'core',
    pjson: manifest,
    options: { root },
    moduleType: 'module',
    commands: commands.map(toLoadable),
    commandIDs: commands.map(({ id }) => id),
    commandsDir: undefined,
    hasManifest: false,
    load: async () => {},
    findCommand: loadCommand,
    topics: [...topics].map(([name, description]) => ({ name, description })),
    hooks: {},
    valid: true,
    isRoot: true,
  };
  const installed: Installed = { root, pjson: manifest, plugins: new Map([[manifest.name, plugin]]), allCommands };
  return Config.load(installed);
}
