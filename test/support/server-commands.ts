// The commands of `recordproof-server` in this process, as the command line calls them, and a list of all of them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runCommandLine } from '../../server/src/commands/run.ts';
import type { Env } from './misconfigured-installations.ts';

type Ended = { readonly code: number; readonly out: string };

/** With these settings and nothing else of ours in the environment; `stdin` is its standard input. */
export async function runCommand(args: readonly string[], env: Env, stdin = 'correct horse battery\n'): Promise<Ended> {
  const kept = { ...process.env };
  const { stdout, stderr, stdin: input } = process;
  const writes = [stdout.write, stderr.write] as const;
  let out = '';
  const collect = ((text: string | Uint8Array) => {
    out += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    return true;
  }) as typeof stdout.write;
  try {
    for (const name of Object.keys(process.env)) if (/^(RECORDPROOF_|DATABASE_)/.test(name)) delete process.env[name];
    Object.assign(process.env, env);
    [stdout.write, stderr.write] = [collect, collect];
    Object.defineProperty(process, 'stdin', { value: Readable.from([stdin]), configurable: true });
    for (const stream of [stdout, stderr]) stream.setMaxListeners(0);
    return { code: await runCommandLine(args), out };
  } finally {
    [stdout.write, stderr.write] = writes;
    Object.defineProperty(process, 'stdin', { value: input, configurable: true });
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(kept, name)) delete process.env[name];
    Object.assign(process.env, kept); // the same object: whoever holds it sees this change, too
  }
}

/** The action of each command; `folder` is one for the files that a command reads and writes. */
export async function listCommands(folder: string): Promise<readonly (readonly string[])[]> {
  const legacy = join(folder, 'legacy.ndjson');
  await writeFile(legacy, '{}\n');
  const account = ['--username', 'eve', '--email', 'eve@example.org'];
  return [
    ['admin', 'create', ...account],
    ['admin', 'password', '--username', 'person-before-the-b'],
    ['admin', 'unlock', '--username', 'person-before-the-b'],
    ['admin', 'tenants'],
    ['admin', 'tenants', '--create', 'another'],
    ['admin', 'installation'],
    ['admin', 'maintenance'],
    ...['sign-in-link', 'reset-factors'].map(action => ['admin', action, '--username', 'person-before-the-b']),
    ...['verify', 'restore', 'keys'].map(action => ['ledger', action]),
    ['audit', 'verify'],
    ['import-legacy', legacy],
    ['jobs', 'list'],
    ...['show', 'revive', 'drop'].map(action => ['jobs', action, '--id', '1']),
    ...['list', 'trusted', 'rotate-signing', 'add-version'].map(action => ['keys', action]),
    ['keys', 'retire', '--version', '1'],
    ['doctor'],
    ['migrate', 'status'],
    ['migrate', 'plan'],
    ['upgrade', '--check'],
    ['gc'],
    ['selftest'],
    ['backup', '--to', join(folder, 'backups')],
  ];
}

const readingCommands: ReadonlySet<string> = new Set([
  ...['admin tenants', 'admin installation', 'admin maintenance', 'ledger verify', 'ledger keys', 'audit verify'],
  ...['jobs list', 'jobs show --id 1', 'keys list', 'keys trusted', 'migrate status', 'migrate plan'],
  ...['upgrade --check', 'gc', 'selftest'],
]);

/** Changes nothing of an installation that is set up; a backup only records that it was made. */
export const isReading = (command: readonly string[]): boolean =>
  readingCommands.has(command.join(' ')) || command[0] === 'backup';

/** They open no installation, or only an empty target: `restore` and `migrate move` have tests of their own. */
export const withoutInstallation = ['serve', 'config', 'chain', 'completion', 'health', 'restore', 'database'];
