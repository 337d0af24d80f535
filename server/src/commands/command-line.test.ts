// @module-tag long-on-postgres
// The command line of the server as scripts use it: each command with --json, called rightly and wrongly.
import { writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { TestApp } from '../../../test/support/app.ts';
import { eachApp } from '../../../test/support/each-app.ts';
import { stopPostgres } from '../../../test/support/postgres.ts';
import { readCompletion } from './help.ts';
import { exitCodes } from './outcome.ts';
import { commandNames, runCommandLine } from './run.ts';

afterAll(stopPostgres);
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** In this process: what it prints, and its exit code. */
async function type(
  args: readonly string[],
  { stdin = '', print = (text: unknown) => String(text) } = {},
): Promise<Ended> {
  const written = { out: '', err: '' };
  const into = (name: keyof typeof written) => (text: unknown) => {
    written[name] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(text => into('out')(print(text))),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err')),
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([stdin]) as unknown as typeof process.stdin),
  ];
  try {
    return { code: await runCommandLine(args), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** The last line on standard error, which is one JSON object. */
const errorOf = ({ err }: Ended) => JSON.parse(err.trimEnd().split('\n').at(-1) ?? '').error;

type Row = {
  /** Arguments with which it works, where a test can give it all that it needs. */
  readonly works?: readonly string[];
  readonly stdin?: string;
  /** A flag that wants a value. */
  readonly valued?: string;
  /** What it ends with where nothing was ever set up, or its argument is missing. */
  readonly nowhere: keyof typeof exitCodes;
};

const tempFolder = () => mkdtempDisposable(join(tmpdir(), 'recordproof-'));

const configFlag = '--config';
const secret = 'a long enough passphrase';

const rows: Readonly<Record<string, Row>> = {
  'admin create': {
    works: ['--username', 'grace', '--email', 'grace@example.org', '--password-stdin'],
    stdin: 'Sufficient-1',
    valued: '--username',
    nowhere: 'usage',
  },
  'admin password': { works: ['--username', 'ada'], stdin: 'Sufficient-2', valued: '--username', nowhere: 'usage' },
  'admin unlock': { works: ['--username', 'ada'], valued: '--address', nowhere: 'usage' },
  'admin reset-factors': { works: ['--username', 'ada'], valued: '--tenant', nowhere: 'usage' },
  'admin tenants': { works: [], valued: '--create', nowhere: 'nothingThere' },
  'admin maintenance': { works: [], valued: '--on', nowhere: 'nothingThere' },
  'admin installation': { works: [], valued: '--grant', nowhere: 'nothingThere' },
  'admin sign-in-link': { works: ['--username', 'grace'], valued: '--minutes', nowhere: 'usage' },
  'audit verify': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  backup: { works: ['--to', '<folder>', '--passphrase-file', '<secret>'], valued: '--to', nowhere: 'nothingThere' },
  'chain deploy': { valued: '--rpc-url', nowhere: 'usage' },
  config: { works: [], valued: configFlag, nowhere: 'ok' },
  'database check': { valued: configFlag, nowhere: 'nothingThere' },
  doctor: { works: [], valued: configFlag, nowhere: 'ok' },
  gc: { works: [], valued: configFlag, nowhere: 'nothingThere' },
  selftest: { works: [], valued: '--mail-to', nowhere: 'nothingThere' },
  health: { valued: '--port', nowhere: 'unavailable' },
  'import-legacy': { works: ['<empty>'], valued: '--tenant', nowhere: 'usage' },
  'jobs list': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'jobs show': { valued: '--id', nowhere: 'usage' },
  'jobs revive': { valued: '--id', nowhere: 'usage' },
  'jobs drop': { valued: '--id', nowhere: 'usage' },
  'keys list': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'keys trusted': { works: [], valued: '--version', nowhere: 'nothingThere' },
  'keys rotate-signing': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'keys add-version': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'keys use': { valued: '--version', nowhere: 'nothingThere' },
  'keys retire': { valued: '--version', nowhere: 'nothingThere' },
  'ledger verify': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'ledger restore': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'ledger keys': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'migrate status': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'migrate plan': { works: [], valued: configFlag, nowhere: 'nothingThere' },
  'migrate move': { valued: '--only', nowhere: 'nothingThere' },
  restore: { valued: '--from', nowhere: 'usage' },
  serve: { valued: '--port', nowhere: 'ok' },
  upgrade: { works: ['--check'], valued: configFlag, nowhere: 'usage' },
};

const table = Object.entries(rows);

/** The commands that the help names, without topics and shells. */
function listCommands(): string[] {
  const paths = readCompletion().positions.filter(({ path, next }) => path !== '' && next.length === 0);
  return paths.map(({ path }) => path).filter(path => !path.startsWith('completion'));
}

test('the table below lists every command of the help', () => {
  expect(Object.keys(rows).toSorted()).toEqual(listCommands().toSorted());
});

test.each(table)('%s: an unknown flag exits with 64 and prints one JSON object on standard error', async command => {
  const ended = await type([...command.split(' '), '--datta', 'x', '--json']);
  expect(ended).toMatchObject({ code: exitCodes.usage, out: '' });
  expect(ended.err.trimEnd().split('\n')).toHaveLength(1);
  expect(errorOf(ended)).toEqual({ kind: 'USAGE', message: expect.any(String), exitCode: exitCodes.usage });
});

test.each(table)('%s: a flag without its value exits with 64', async (command, { valued = '' }) => {
  const ended = await type([...command.split(' '), '--json', valued]);
  expect(ended).toMatchObject({ code: exitCodes.usage, out: '' });
  expect(errorOf(ended)).toMatchObject({ kind: 'USAGE' });
});

const nowhere = table.filter(([, row]) => row.nowhere !== 'ok');

test.each(nowhere)('%s: without an installation it prints one JSON error', async (command, row) => {
  await using folder = await tempFolder();
  const at = command === 'chain deploy' ? [] : ['--data', join(folder.path, 'data')];
  const ended = await type([...command.split(' '), '--json', ...at]);
  expect(ended).toMatchObject({ code: exitCodes[row.nowhere], out: '' });
  expect(errorOf(ended)).toMatchObject({ exitCode: exitCodes[row.nowhere], message: expect.stringMatching(/[.?]$/) });
});

const topics = [...new Set(table.map(([command]) => command.split(' ')).filter(words => words.length > 1))].map(
  ([topic = '']) => topic,
);

test.each(['nonsense', ...new Set(topics)])('%s: an unknown command exits with 64', async topic => {
  const ended = await type([topic, 'nonsense', '--json']);
  expect(ended).toMatchObject({ code: exitCodes.usage, out: '' });
  expect(errorOf(ended).message).toMatch(/there is no command|missing subcommand/);
  expect((await type([topic, 'nonsense'])).err).toMatch(/^recordproof-server: /);
});

test('an invalid value is wrong usage as a flag and a wrong setting as a variable', async () => {
  expect((await type(['config', '--port', 'http'])).code).toBe(exitCodes.usage);
  expect((await type(['config', '--profile', 'tower'])).code).toBe(exitCodes.usage);
  vi.stubEnv('RECORDPROOF_PORT', 'http');
  const ended = await type(['config', '--json']);
  expect(ended.code).toBe(exitCodes.config);
  expect(errorOf(ended)).toMatchObject({ kind: 'CONFIG', exitCode: 78 });
});

test('a named file that is missing, or a folder in its place, is wrong usage', async () => {
  await using folder = await tempFolder();
  const { path } = folder;
  const missing = await type(['restore', '--check', '--from', path, '--passphrase-file', join(path, 'missing')]);
  expect(missing).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('there is no file') });
  const wrong = await type(['import-legacy', path]);
  expect(wrong).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('is a folder') });
});

test('an unexpected exception is printed as one sentence, and with its stack at log level debug only', async () => {
  const print = (): string => {
    throw new TypeError('this cannot be');
  };
  const quiet = await type(['config', '--json'], { print });
  expect(quiet.code).toBe(exitCodes.bug);
  expect(quiet.err).not.toContain('    at ');
  expect(errorOf(quiet)).toMatchObject({ kind: 'BUG', message: expect.stringContaining('this cannot be.') });
  expect((await type(['config', '--log-level', 'debug'], { print })).err).toMatch(/^TypeError: this cannot be\n +at /);
});

test('the help lists every command that runs', () => {
  const told = new Set(Object.keys(rows).map(command => command.split(' ')[0]));
  expect(commandNames.filter(name => !told.has(name))).toEqual(['completion']);
});

/** The arguments of a row, with the files that they name. */
async function fill(app: TestApp, folder: string, works: readonly string[]): Promise<string[]> {
  writeFileSync(join(folder, 'secret'), `${secret}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'empty'), '');
  const named = works.map(word => word.replace(/^<(\w+)>$/, (_whole, name) => join(folder, name)));
  return [...named, '--data', app.folder, '--json'];
}

eachApp(start => {
  test('names are completed from the installation that the command line selects', async () => {
    await using app = await start();
    await using folder = await tempFolder();
    await app.person('ada');
    if (app.config.db.kind === 'postgres') vi.stubEnv('DATABASE_URL', app.config.db.url.reveal());
    const offered = async (...words: string[]) => (await type(['completion', 'values', ...words])).out;
    expect(await offered('usernames', '--data', app.folder)).toMatch(/^ada\t/m);
    expect(await offered('tenants', '--data', app.folder)).toBe('default\t\n');
    expect(await offered('key-versions', '--data', app.folder)).toContain('1\tmaster key');
    expect(await offered('roles')).toBe('user\t\nadmin\t\nmonitor\t\n');
    vi.unstubAllEnvs();
    const none = await type(['completion', 'values', 'usernames', '--data', join(folder.path, 'data')]);
    expect(none).toEqual({ code: 0, out: '', err: '' });
  });

  test('every command that succeeds prints one JSON document and nothing else', async () => {
    await using app = await start();
    await using folder = await tempFolder();
    await app.person('ada');
    await app.app.drain();
    if (app.config.db.kind === 'postgres') vi.stubEnv('DATABASE_URL', app.config.db.url.reveal());
    for (const [command, { works, stdin = '' }] of table) {
      if (works === undefined) continue;
      const ended = await type([...command.split(' '), ...(await fill(app, folder.path, works))], { stdin });
      const shown = `${command}: ${ended.out}${ended.err}`;
      expect([exitCodes.ok, ...(command === 'doctor' ? [exitCodes.failed] : [])], shown).toContain(ended.code);
      expect(() => JSON.parse(ended.out), shown).not.toThrow();
    }
  });
});
