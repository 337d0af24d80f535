// Mail to one person: what a message may be and how sending it can fail.
// Refuses any address or subject that could add a header or a recipient. Texts may hold secrets: they are never logged.

import type { CircuitOpenError } from '../circuit-breaker.ts';

export type MailMessage = {
  /** One bare address. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
};

export type Mail = AsyncDisposable & {
  /**
   * Resolves when the next hop has taken the message for good: the SMTP server said so, or the file is on the disk.
   * Throws MailFailed. After a failed attempt the message may still have gone out, so that a retry may send it twice.
   */
  send(message: MailMessage): Promise<void>;
};

/**
 * unreachable: no server, no trustworthy connection, or no answer in time. deferred: the server says "later".
 * unauthorized: it refuses our login. refused: it refuses this message for good. invalid: we never sent it.
 */
export type MailFailure = 'unreachable' | 'deferred' | 'unauthorized' | 'refused' | 'invalid';

export class MailFailed extends Error {
  readonly failure: MailFailure;
  readonly smtpCode: number | undefined;

  constructor(failure: MailFailure, reason: string, smtpCode?: number, cause?: CircuitOpenError) {
    super(`the mail could not be sent (${failure}): ${reason}`, cause && { cause });
    this.name = 'MailFailed';
    this.failure = failure;
    this.smtpCode = smtpCode;
  }

  /** Whether the same message may succeed later; a wrong login counts, because it is mended without the message. */
  get retryable(): boolean {
    return this.failure !== 'refused' && this.failure !== 'invalid';
  }
}

export type Sender = { readonly name: string; readonly address: string };

const maxAddressLength = 254;
const maxSubjectLength = 255;
const maxBodyBytes = 256 * 1024;

// Everything that structures an address header is excluded, quoted local parts and address literals with it.
const addressPattern = /^[^\s\p{C}@<>(),:;"\\[\]]+@[^\s\p{C}@<>(),:;"\\[\]]+$/u;
const controlPattern = /[\p{Cc}\u2028\u2029]/u;

const isMailAddress = (text: string): boolean => text.length <= maxAddressLength && addressPattern.test(text);

/** Reads `address` or `Name <address>`, as it stands in the configuration. */
export const parseSender = (text: string): Sender => {
  const match = /^([^<>"]*)<([^<>]+)>$/.exec(text.trim());
  const sender = match ? { name: match[1]?.trim() ?? '', address: match[2] ?? '' } : { name: '', address: text.trim() };
  if (controlPattern.test(sender.name) || !isMailAddress(sender.address)) {
    throw new RangeError('the sender of mails must be an address like "no-reply@example.org" or "Name <address>"');
  }
  return sender;
};

export const checkMessage = ({ to, subject, text, html }: MailMessage): void => {
  if (!isMailAddress(to)) throw new MailFailed('invalid', 'the recipient is not one plain address');
  if (subject.length > maxSubjectLength || controlPattern.test(subject)) {
    throw new MailFailed('invalid', `the subject must be one line of at most ${maxSubjectLength} characters`);
  }
  if (Buffer.byteLength(text) + Buffer.byteLength(html ?? '') > maxBodyBytes) {
    throw new MailFailed('invalid', `a mail is limited to ${maxBodyBytes} bytes`);
  }
};

/** The message as the composer takes it: recipients only as checked objects, no content from files or addresses. */
export const toComposition = (message: MailMessage, sender: Sender, date: Date) => ({
  from: sender,
  to: { name: '', address: message.to },
  envelope: { from: sender.address, to: [message.to] },
  date,
  subject: message.subject,
  text: message.text,
  ...(message.html === undefined ? {} : { html: message.html }),
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
});
