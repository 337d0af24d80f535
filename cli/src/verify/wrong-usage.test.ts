// Exit code 0 of `recordproof verify` means VALID: wrong usage never ends with it, whichever option has a question for
// help as its value.
import { verifyDeclaration } from '@recordproof/verifier/verify-options.ts';
import { expect, test, vi } from 'vitest';
import { runCommandLine } from '../run.ts';

/** In this process: its exit code, and what it prints. */
async function verify(args: readonly string[]): Promise<[code: unknown, stdout: string]> {
  let printed = '';
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(text => {
      printed += String(text);
      return true;
    }),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  ];
  try {
    await runCommandLine(['verify', ...args]);
    return [process.exitCode, printed];
  } finally {
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
  }
}

test('a value that looks like an option is wrong usage, never help', async () => {
  const named = Object.entries(verifyDeclaration.options).filter(
    ([name, { kind }]) => kind !== 'switch' && name !== 'format',
  );
  expect(named.length).toBeGreaterThan(10);
  for (const [name] of named)
    for (const line of [
      [`--${name}`, '-h'],
      [`--${name}=--help`, '--proof=x'],
    ])
      expect([line, ...(await verify(line))]).toEqual([line, 64, '']);
});
