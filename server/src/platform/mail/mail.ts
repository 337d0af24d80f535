// Mail to one recipient: rules for messages, and kinds of failures. Rejects addresses and subjects that could add a
// header or a recipient. Message texts may hold secrets and are never logged.

import type { Language } from '@recordproof/shared/words/words.ts';
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
   * Resolves when the next hop has accepted the message: the SMTP server confirmed it, or the file is on disk. Throws
   * MailFailed. A failed attempt may still have sent the message, so a retry may send it twice.
   */
  send(message: MailMessage): Promise<void>;
};

/**
 * unreachable: no server, no trusted connection, or a timeout. deferred: the server asks to retry later. unauthorized:
 * it rejects our login. refused: it rejects this message for good. invalid: never sent.
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

  /** Whether the same message may succeed later. A rejected login counts: an administrator can fix it. */
  get retryable(): boolean {
    return this.failure !== 'refused' && this.failure !== 'invalid';
  }
}

export type Sender = { readonly name: string; readonly address: string };

const maxAddressLength = 254;
const maxSubjectLength = 255;
const maxBodyBytes = 256 * 1024;

// Excludes all characters with a meaning in address headers, so also quoted local parts and address literals.
const addressPattern = /^[^\s\p{C}@<>(),:;"\\[\]]+@[^\s\p{C}@<>(),:;"\\[\]]+$/u;
const controlPattern = /[\p{Cc}\u2028\u2029]/u;

const isMailAddress = (text: string): boolean => text.length <= maxAddressLength && addressPattern.test(text);

/** Parses `address` or `Name <address>` from the configuration. */
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

/** The message for the MIME composer: recipients only as checked objects, no content from files or URLs. */
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

type Caused = { readonly language?: Language | undefined };

/**
 * That of the request that caused the mail, otherwise that of the server: accounts have none. `payload` is that of a job;
 * jobs of earlier releases name no language.
 */
export const mailLanguage = (payload: object, mail: { readonly language: Language }): Language =>
  (payload as Caused).language ?? mail.language;
