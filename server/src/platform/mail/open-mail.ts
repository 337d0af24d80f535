// Selection of the mail implementation by configuration.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { CircuitBreakers, Guard } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import type { Secret } from '../secret.ts';
import { EmlMail } from './eml-mail.ts';
import { type Mail, parseSender } from './mail.ts';
import { isMailServerDown, SmtpMail } from './smtp-mail.ts';
import { parseSmtpUrl } from './smtp-url.ts';

type MailDelivery = { from: string } & ({ kind: 'files'; folder: string } | { kind: 'smtp'; url: Secret });
/** `language`: of mails that no request causes, or one that names no language. */
export type MailOptions = MailDelivery & { language: Language };

export type MailTools = {
  readonly clock: { now(): number };
  readonly log: LogPort;
  readonly breakers?: CircuitBreakers;
};

export const openMailGuard = ({ breakers }: MailTools): Guard | undefined =>
  breakers?.guard('smtp', { openMs: 10_000, isFailure: isMailServerDown });

type Guarded = Omit<MailTools, 'breakers'> & { readonly guard?: Guard | undefined };

/** Throws RangeError with a sentence about the setting. Connects on the first message. */
export const openMail = (config: MailDelivery, { clock, log, guard }: Guarded): Mail => {
  const sender = parseSender(config.from);
  switch (config.kind) {
    case 'files':
      return new EmlMail({ folder: config.folder, sender, clock, log });
    case 'smtp':
      return new SmtpMail({ endpoint: parseSmtpUrl(config.url.reveal()), sender, clock, ...(guard && { guard }) });
  }
};
