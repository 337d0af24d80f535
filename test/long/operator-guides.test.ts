// Journeys through the operator's guides for incidents: every command is typed as it is printed there, in one
// installation, one guide after the other.
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { testWith } from '../support/programs.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const testGuide = testWith('script', 'openssl', 'python3');
const patience = 900_000; // some forty programs, one after the other

const password = 'correct horse battery';
const settings = {
  RECORDPROOF_PROFILE: 'laptop',
  KEY_ROTATION_ENABLED: 'true',
  RECORDPROOF_ADMIN_USERNAME: 'root',
  RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
  RECORDPROOF_ADMIN_PASSWORD: password,
};

let folder: string;
let server: ServerProcess;
let terminal: Terminal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-guides-'));
  await mkdir(join(folder, 'home'));
  server = await startServerProcess({ folder: join(folder, 'recordproof-data'), env: settings });
});

afterAll(async () => {
  await terminal?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** The lines of the shell blocks of a guide, or of one of its sections. Port 8080 may be in use where tests run. */
async function readCommands(guide: string, heading?: string): Promise<string[]> {
  const text = await readFile(join(root, 'docs/guide', guide), 'utf8');
  const [, section = ''] = heading === undefined ? ['', text] : text.split(`\n## ${heading}\n`);
  const own = heading === undefined ? section : (section.split('\n## ')[0] ?? '');
  const lines = [...own.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
  return lines.map(line => line.replace('http://127.0.0.1:8080', server.url));
}

type Words = readonly (readonly [part: string, words: RegExp])[];

/** Types every command, and checks the results that the guide promises for some of them. */
async function follow(commands: readonly string[], said: Words): Promise<void> {
  expect(commands.length).toBeGreaterThan(0);
  const open = [...said];
  for (const line of commands) {
    const shown = await terminal.type(line);
    expect(shown, line).not.toMatch(/error:|command not found|Usage|\n +at /);
    const [next] = open;
    if (next === undefined || !line.includes(next[0])) continue;
    expect(shown, line).toMatch(next[1]);
    open.shift();
  }
  expect(open, 'what no command of the guide says').toEqual([]);
}

testGuide(
  'before a new version',
  async () => {
    const path = `${join(root, 'node_modules/.bin')}:${dirname(process.execPath)}:${process.env.PATH}`;
    const env = { PATH: path, HOME: join(folder, 'home'), LANG: 'C.UTF-8', RECORDPROOF_SERVER: server.url };
    terminal = await openTerminal(folder, env);
    await terminal.type(`printf '${password}' | recordproof login --username root --password-stdin`);
    await terminal.type('echo "a file under a key of its own" > sealed.txt; recordproof upload --proxied sealed.txt');
    for (const line of await readCommands('backup.md', 'A passphrase')) await terminal.type(line);
    await follow(await readCommands('upgrade.md'), [
      [' backup ', /is complete/],
      ['doctor', /0 errors/],
      ['ledger verify', /all sound/],
    ]);
  },
  patience,
);

testGuide(
  'rotation day',
  async () => {
    await follow(await readCommands('rotation-day.md'), [
      ['doctor', /0 errors/],
      ['rotate-signing', /version 2/],
      ['keys pin', /pinned/],
      ['verify rotation.txt', /Result: VALID/],
      ['--watch', /COMPLETED/],
      ['recordproof-verify certificate', /Result: VALID/],
      [' backup ', /is complete/],
    ]);
  },
  patience,
);

testGuide(
  'audit day, and the outsider with the sample',
  async () => {
    await follow(await readCommands('audit-day.md'), [
      ['audit verify', /rows, unbroken/],
      ['server ledger verify', /all sound/],
      ['ledger verify', /every entry lies under/],
      ['recordproof-verify sample.txt', /Result: INDETERMINATE/],
      ['--server', /Result: VALID/],
      ['ledger checkpoint', /root +[0-9a-f]{64}/],
    ]);
    await follow(await readCommands('outsider.md'), [
      ['grep', /sha256:[0-9a-f]{64}/],
      ['recordproof-verify', /signature agree/],
      ['--server', /Result: VALID/],
      ['certificate', /written/],
    ]);
  },
  patience,
);

testGuide(
  'a lost key, a lost disk and a ledger check',
  async () => {
    await server[Symbol.asyncDispose]();
    const keys = join(folder, 'recordproof-data/keys/master-keys.json');
    await rename(keys, join(folder, 'away.json'));
    expect(await terminal.type('recordproof-server doctor')).toMatch(
      /installation +ERROR.*master-keys\.json is missing/s,
    );
    await follow(await readCommands('incidents.md', 'A key is gone'), [
      ['restore', /verified: .*all sound/],
      ['doctor', /0 errors/],
    ]);
    expect(await readFile(keys, 'utf8')).toBe(await readFile(join(folder, 'away.json'), 'utf8'));
    await follow(await readCommands('incidents.md', 'The disk is gone'), [
      ['restore', /verified: .*all sound/],
      ['doctor', /0 errors/],
    ]);
    await follow(await readCommands('incidents.md', 'The ledger is damaged'), [['ledger verify', /all sound/]]);
  },
  patience,
);
