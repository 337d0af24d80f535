// Flags of a share's contents, texts and limits, for the commands that create and change one.
import type { Interfaces } from '@oclif/core';
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
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';
import { readSecretFromStdin } from '../platform/prompter.ts';
import { parseExpiry } from '../platform/time-flags.ts';

export const expiresFlag = { helpValue: '<time>', summary: 'How long from now: 30m, 12h, 7d; at most 30d.' };
export const accessesFlag = { helpValue: '<n>', summary: 'How often it can be opened.' };

export const passwordFlags = {
  'ask-password': boolean({ summary: 'Give it a password, which is asked for.' }),
  'password-stdin': boolean({ summary: 'Give it a password, which is read from a pipe.' }),
};

export const parseMinutes = (text: string): number => parseExpiry(text, maxShareMinutes, '30m, 12h or 7d');

export function parseAccesses(text: string): number {
  const value = /^[0-9]{1,7}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= 1_000_000) return value;
  throw new CommandError('usage', `--max-accesses takes a number from 1 to 1000000, not "${text}"`);
}

export async function getSharePassword(
  context: CommandContext,
  flags: Interfaces.InferredFlags<typeof passwordFlags>,
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
  throw new CommandError('usage', 'the two passwords are not the same');
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

const parsePeople = (recipients: readonly string[]): string[] =>
  recipients.map(one => parseField('Recipient', shareRecipient, one));

export const toLinkTexts = ({
  title,
  message,
  'mail-to': mailTo = [],
}: Interfaces.InferredFlags<typeof textFlags>) => ({
  ...(title !== undefined && { title: parseField('Title', shareTitle, title) }),
  ...(message !== undefined && { message: parseField('Message', shareMessage, message) }),
  ...(mailTo.length > 0 && { addRecipients: parsePeople(mailTo) }),
});

type ChangedFlags = Interfaces.InferredFlags<typeof changedFlags>;

export const toRemoved = ({ 'remove-recipient': recipients = [], ...flags }: ChangedFlags) => ({
  ...(flags['no-title'] && { title: null }),
  ...(flags['no-message'] && { message: null }),
  ...(recipients.length > 0 && { removeRecipients: parsePeople(recipients) }),
});

export async function findChangedFiles(client: Client, flags: ChangedFlags) {
  const { 'add-file': added = [], 'remove-file': removed = [] } = flags;
  return {
    ...(added.length > 0 && { addFiles: await findFileHashes(client, added) }),
    ...(removed.length > 0 && { removeFiles: await findFileHashes(client, removed) }),
  };
}
