// Flags of a share's contents, texts and limits, for the commands that create and change one.
import { boolean, string } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import {
  maxShareMinutes,
  shareMessage,
  sharePassword,
  shareRecipient,
  shareTitle,
} from '@recordproof/shared/api/shares.ts';
import { findFileHashes } from '../files/find-file.ts';
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

const people = 'E-mail address, or user name of an account of the tenant; may be given several times.';

export const textFlags = {
  title: string({ helpValue: '<text>', summary: 'Shown above the files and in mails.' }),
  message: string({ helpValue: '<text>', summary: 'Shown above the files and in mails.' }),
  'mail-to': string({ helpValue: '<person>', multiple: true, summary: `Mail the link. ${people}` }),
};

export const changedFlags = {
  'no-title': boolean({ summary: 'Take the title away.', exclusive: ['title'] }),
  'no-message': boolean({ summary: 'Take the message away.', exclusive: ['message'] }),
  'add-file': string({ helpValue: '<file>', multiple: true, summary: 'Also give this file.' }),
  'remove-file': string({ helpValue: '<file>', multiple: true, summary: 'No longer give this file.' }),
  'remove-recipient': string({ helpValue: '<person>', multiple: true, summary: 'Take off the list of recipients.' }),
};

type TextFlags = {
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  'mail-to'?: string[] | undefined;
};

const parsePeople = (recipients: readonly string[]): string[] =>
  recipients.map(one => parseField('Recipient', shareRecipient, one));

export const toLinkTexts = ({ title, message, 'mail-to': mailTo = [] }: TextFlags) => ({
  ...(title !== undefined && { title: parseField('Title', shareTitle, title) }),
  ...(message !== undefined && { message: parseField('Message', shareMessage, message) }),
  ...(mailTo.length > 0 && { addRecipients: parsePeople(mailTo) }),
});

type TakenAway = { 'no-title': boolean; 'no-message': boolean; 'remove-recipient'?: string[] | undefined };

export const toRemoved = ({ 'remove-recipient': recipients = [], ...flags }: TakenAway) => ({
  ...(flags['no-title'] && { title: null }),
  ...(flags['no-message'] && { message: null }),
  ...(recipients.length > 0 && { removeRecipients: parsePeople(recipients) }),
});

type Files = { 'add-file'?: string[] | undefined; 'remove-file'?: string[] | undefined };

export async function findChangedFiles(client: Client, { 'add-file': added = [], 'remove-file': removed = [] }: Files) {
  return {
    ...(added.length > 0 && { addFiles: await findFileHashes(client, added) }),
    ...(removed.length > 0 && { removeFiles: await findFileHashes(client, removed) }),
  };
}
