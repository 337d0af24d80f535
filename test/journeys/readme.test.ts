// Journey through the README: a fresh checkout, an empty home, every line typed as it is printed there. The packages
// are linked from this checkout, unless README_NPM_CACHE names a filled npm cache to install them from.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectOutput, findFreePort, hasExited } from '../support/child-process.ts';
import { testWith } from '../support/programs.ts';
import { openTerminal } from '../support/terminal.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = await readFile(join(root, 'README.md'), 'utf8');

/** The lines of the shell blocks below a heading. */
function commandsBelow(heading: string): string[] {
  const [, section = ''] = readme.split(`\n## ${heading}`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
}

const { README_NPM_CACHE: npmCache } = process.env;

const withoutComment = (line: string): string => line.replace(/\s+#.*$/, '');

let checkout: string;
let server: ChildProcess;
let env: Record<string, string>;
let banner: () => string;
let begun: number;

/**
 * Links the installed packages, and the marker of the set-up for them. One link each: changes there only affect links.
 */
async function lendPackages(folder: string): Promise<void> {
  const from = join(root, 'node_modules');
  const to = join(folder, 'node_modules');
  await mkdir(to);
  for (const name of await readdir(from))
    if (!name.startsWith('.recordproof')) await symlink(join(from, name), join(to, name));
  const lock = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex');
  await writeFile(join(to, '.recordproof-setup'), `${lock} ${process.platform}-${process.arch}\n`);
}

/** The files that git would check out. */
async function makeCheckout(folder: string): Promise<void> {
  if (npmCache !== undefined) return void execFileSync('git', ['clone', '--quiet', root, folder]);
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const names = listed.toString().trim().split('\n');
  for (const parent of new Set(names.map(name => dirname(join(folder, name)))))
    await mkdir(parent, { recursive: true });
  for (const name of names) copyFileSync(join(root, name), join(folder, name));
  await lendPackages(folder);
}

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'recordproof-readme-'));
  begun = performance.now();
  await makeCheckout(join(checkout, 'recordproof'));
  await mkdir(join(checkout, 'home'));
  const port = await findFreePort();
  env = {
    // The machine's npm, which installs, runs on the machine's Node.
    PATH: npmCache === undefined ? `${dirname(process.execPath)}:${process.env.PATH}` : (process.env.PATH ?? ''),
    HOME: join(checkout, 'home'),
    LANG: 'C.UTF-8',
    ...(npmCache && { npm_config_cache: npmCache }),
    RECORDPROOF_PORT: `${port}`, // Port 8080 may be in use where tests run.
    RECORDPROOF_SERVER: `http://127.0.0.1:${port}`,
  };
  const [start = ''] = commandsBelow('Two commands').map(withoutComment);
  const { RECORDPROOF_SERVER: _, ...serverEnv } = env;
  server = spawn('bash', ['-c', `exec ${start}`], {
    cwd: join(checkout, 'recordproof'),
    env: serverEnv,
    detached: true,
  });
  banner = collectOutput(server);
  while (!banner().includes('or run:')) {
    if (hasExited(server)) throw new Error(`"${start}" ended:\n${banner()}`);
    await Promise.race([once(server.stdout ?? server, 'data'), once(server, 'exit')]);
  }
}, 300_000);

afterAll(async () => {
  if (server?.pid !== undefined && !hasExited(server)) {
    const ended = once(server, 'exit');
    process.kill(-server.pid, 'SIGTERM');
    await ended;
  }
  await rm(checkout, { recursive: true, force: true });
});

const lastWords: readonly (readonly [start: string, words: RegExp])[] = [
  ['recordproof setup', /ada is the first administrator/],
  ['recordproof whoami', /user +ada\n/],
  ['recordproof upload', /uploaded +1 +[0-9a-f]{12}/],
  ['recordproof files list', /receipt\.txt\n/],
  ['recordproof keys pin', /1 pinned/],
  ['recordproof prove', /proved +2 +contract\.txt\.proof\.zip/],
  ['recordproof verify', /Result: VALID/],
  ['recordproof shares create', /http:\S+\/s\/[0-9A-Za-z]{12}\n/],
];

function reportDuration(): void {
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const packages = npmCache === undefined ? 'packages lent' : 'packages installed from the npm cache';
  console.info(`from the clone to VALID: ${seconds} s, ${packages}, load ${loadavg()[0]?.toFixed(1)}`);
}

testWith('script')(
  'every line of the first steps works unchanged, and they end with VALID and with a page',
  async () => {
    const code = /set-up code +(\S+)/.exec(banner())?.[1] ?? '';
    const asked = [
      ['et-up code', code],
      ['ser name', 'ada'],
      ['mail', 'ada@example.org'],
      ['assword', 'correct horse battery'],
      ['gain', 'correct horse battery'],
    ] as const;
    await using terminal = await openTerminal(join(checkout, 'recordproof'), env);
    const shown: Record<string, string> = {};
    for (const line of commandsBelow('First steps')) {
      shown[line] = await terminal.type(line, line === 'recordproof setup' ? asked : []);
      if (line.startsWith('recordproof verify')) reportDuration();
    }
    for (const [start, words] of lastWords) {
      const line = Object.keys(shown).find(each => each.startsWith(start)) ?? '';
      expect(shown[line], `${start} is in the README`).toMatch(words);
    }
    expect(Object.values(shown).join('')).not.toMatch(/error:|warning/i);
    const link = /http:\S+\/s\/\w+/.exec(Object.values(shown).at(-1) ?? '')?.[0] ?? '';
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('contract.txt')]);

    await writeFile(join(checkout, 'recordproof', 'contract.txt'), 'Ada owes something.\n');
    expect(await terminal.type('recordproof verify contract.txt')).toContain('Result: INVALID');
  },
);

test('the commands for contributors exist', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const line of [...commandsBelow('Two commands'), ...commandsBelow('More commands')]) {
    const [npm, verb = '', name = verb] = withoutComment(line).split(' ');
    expect([npm, Object.keys(scripts)]).toEqual(['npm', expect.arrayContaining([name])]);
  }
});
