// Schemas of a share's title, message and recipients.
import { z } from 'zod';
import { email, username } from './auth.ts';
import { isoTime, plainText, textInLines } from './common.ts';
import { misleadingCharacters } from './folders.ts';

export const mostRecipientsAtOnce = 20;
export const mostRecipients = 100;
/** Of one account, over all its shares. */
export const mostShareMailsPerDay = 200;

const unturned = 'must not hold characters that turn text';

export const shareTitle = plainText(100)
  .refine(text => !misleadingCharacters.test(text), unturned)
  .meta({ description: 'shown above the files and in mails' });

export const shareMessage = textInLines(2000)
  .refine(text => !misleadingCharacters.test(text), unturned)
  .meta({ description: 'shown above the files and in mails, as text' });

/** With "@" an address, else an account. */
export const shareRecipient = z
  .union([email, username])
  .meta({ description: 'an e-mail address, or the user name of an account of the same tenant' });

export const shareRecipients = z.array(shareRecipient).min(1).max(mostRecipientsAtOnce);

export const listedRecipient = z.object({
  recipient: z.string(),
  mailedAt: isoTime.nullable().meta({ description: 'null until the mail server has taken the mail' }),
});
