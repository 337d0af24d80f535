import type { CircuitBreakers } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import type { Secret } from '../secret.ts';
import { EmlMail } from './eml-mail.ts';
import { type Mail, parseSender } from './mail.ts';
import { isMailServerDown, SmtpMail } from './smtp-mail.ts';
import { parseSmtpUrl } from './smtp-url.ts';

export type MailOptions = { from: string } & ({ kind: 'files'; folder: string } | { kind: 'smtp'; url: Secret });

type Tools = {
  readonly clock: { now(): number };
  readonly log: LogPort;
  readonly breakers?: CircuitBreakers;
};

/** Throws RangeError with a sentence for whoever configured it. Connects to nothing before the first message. */
export const openMail = (config: MailOptions, { clock, log, breakers }: Tools): Mail => {
  const sender = parseSender(config.from);
  switch (config.kind) {
    case 'files':
      return new EmlMail({ folder: config.folder, sender, clock, log });
    case 'smtp': {
      const guard = breakers?.guard('smtp', { openMs: 10_000, isFailure: isMailServerDown });
      return new SmtpMail({ endpoint: parseSmtpUrl(config.url.reveal()), sender, clock, ...(guard && { guard }) });
    }
  }
};
