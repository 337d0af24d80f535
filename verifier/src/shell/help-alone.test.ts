// Exit code 0 means VALID: no other line may end with it, whatever stands where. Tried with every option of every command
// and with everything that has ever been taken for a question for help.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Options } from '@recordproof/shared/command-line/command.ts';
import { expect, test } from 'vitest';
import { main } from '../cli.ts';
import { otherDeclarations } from '../commands.ts';
import { verifyDeclaration } from '../verify-options.ts';

const common = fileURLToPath(new URL('../../../test/vectors/common/', import.meta.url));
const recordproof = fileURLToPath(new URL('../../../cli/bin/recordproof.mjs', import.meta.url));
const helpLike = ['--help', '-h', '--version', '-v', '--nonsense', '---'];

const commands: readonly (readonly [string[], Options])[] = [
  [[], verifyDeclaration.options],
  [['verify'], verifyDeclaration.options],
  ...otherDeclarations.map(({ path, options }): [string[], Options] => [[path], options]),
];

/** Every option with a value that is a question for help, and help beside every option. */
function listLines([command, options]: readonly [string[], Options]): string[][] {
  const whole = [`--file=${common}plain.bin`, `--proof=${common}none.zip`];
  const around = Object.hasOwn(options, 'file') ? whole : [];
  return Object.entries(options).flatMap(([name, { kind }]) =>
    helpLike.flatMap(word => [
      [...command, `--${name}`, word],
      [...command, `--${name}`, word, ...around.filter(given => !given.startsWith(`--${name}=`))],
      [...command, `--${name}=${word}`, ...(kind === 'switch' ? [] : around)],
      [...command, ...around, word, `--${name}`],
    ]),
  );
}

async function run(args: readonly string[]): Promise<{ code: number; stdout: string }> {
  let stdout = '';
  const code = await main(args, {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: () => true },
  });
  return { code, stdout };
}

test.each(commands)('%j: a value that looks like an option is wrong usage, never help', async (command, options) => {
  const lines = listLines([command, options]);
  expect(lines.length).toBeGreaterThanOrEqual(Object.keys(options).length * helpLike.length * 3);
  for (const line of lines) expect([line, await run(line)]).toEqual([line, { code: 64, stdout: '' }]);
});

test('help among other arguments exits with 64', async () => {
  for (const line of [
    ['--file', '-h', '--proof', 'x.zip'],
    ['--proof', '--help'],
    ['certificate', '--file', '-h', '--proof', 'x.zip', '--out', 'y'],
    ['gateway', '--ledger-key', '-h'],
    ['serve', '--help', 'x'],
    ['help', 'x'],
    ['--version', '--file', 'x'],
    ['page', '--help', 'x'],
  ])
    expect([line, (await run(line)).code]).toEqual([line, 64]);
});

test('help alone exits with 0', async () => {
  for (const line of [['--help'], ['-h'], ['help'], ...commands.slice(1).map(([command]) => [...command, '-h'])])
    expect([line, (await run(line)).code]).toEqual([line, 0]);
});

// Each option is tried in cli/src/verify/wrong-usage.test.ts.
test('recordproof verify exits with 0 for help alone, and with 64 beside other arguments', { timeout: 120_000 }, () => {
  const launch = (...args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [recordproof, 'verify', ...args], { encoding: 'utf8' });
    return [args, status, stdout];
  };
  const line = ['--file', '-h', '--proof', 'x.zip'];
  expect(launch(...line)).toEqual([line, 64, '']);
  expect(launch('--help')[1]).toBe(0);
});
