// What the commands that make and change shares have in common.
import { boolean } from '@oclif/core/flags';
import { maxShareMinutes, sharePassword } from '@recordproof/shared/api/shares.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { parseField } from '../platform/fields.ts';
import { Fixable } from '../platform/fixable.ts';
import { readSecretFromStdin } from '../platform/prompter.ts';

export const expiresFlag = { helpValue: '<time>', summary: 'How long from now: 30m, 12h, 7d; at most 30d.' };
export const accessesFlag = { helpValue: '<n>', summary: 'How often it can be opened.' };

export const passwordFlags = {
  'ask-password': boolean({ summary: 'Give it a password, which is asked for.' }),
  'password-stdin': boolean({ summary: 'Give it a password, which is read from a pipe.' }),
};

const minutes: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };

export function parseMinutes(text: string): number {
  const [, number, unit = ''] = /^([0-9]{1,6})([mhd])$/.exec(text.trim()) ?? [];
  const value = Number(number) * (minutes[unit] ?? 0);
  if (value >= 1 && value <= maxShareMinutes) return value;
  throw new Fixable('usage', '--expires takes minutes, hours or days, from 1m to 30d', { try: '30m, 12h or 7d' });
}

export function parseAccesses(text: string): number {
  const value = /^[0-9]{1,7}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= 1_000_000) return value;
  throw new Fixable('usage', '--max-accesses takes a number from 1 to 1000000');
}

export async function getSharePassword(
  context: CommandContext,
  flags: { 'ask-password': boolean; 'password-stdin': boolean },
): Promise<string | undefined> {
  if (flags['password-stdin']) return parseField('Password', sharePassword, await readSecretFromStdin());
  if (!flags['ask-password']) return undefined;
  const missing = 'pipe it in with --password-stdin';
  const chosen = parseField(
    'Password',
    sharePassword,
    await context.prompter.askHidden('Password of the share', missing),
  );
  if ((await context.prompter.askHidden('The same again', missing)) === chosen) return chosen;
  throw new Fixable('usage', 'the two passwords are not the same');
}
