// Selection of the mail implementation by configuration, which can be replaced at runtime.
import type { Language } from '@recordproof/shared/words/words.ts';
import type { CircuitBreakers, Guard } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import type { Secret } from '../secret.ts';
import { EmlMail } from './eml-mail.ts';
import { type Mail, type MailMessage, parseSender } from './mail.ts';
import { isMailServerDown, SmtpMail } from './smtp-mail.ts';
import { parseSmtpUrl } from './smtp-url.ts';

type MailDelivery = { from: string } & ({ kind: 'files'; folder: string } | { kind: 'smtp'; url: Secret });
/** `language`: of mails that no request causes, or one that names no language. */
export type MailOptions = MailDelivery & { language: Language };

type Tools = { readonly clock: { now(): number }; readonly log: LogPort };

/** Throws RangeError with a sentence about the setting. Connects on the first message. */
export const openMail = (
  config: MailDelivery,
  { clock, log, guard }: Tools & { readonly guard?: Guard | undefined },
): Mail => {
  const sender = parseSender(config.from);
  if (config.kind === 'files') return new EmlMail({ folder: config.folder, sender, clock, log });
  return new SmtpMail({ endpoint: parseSmtpUrl(config.url.reveal()), sender, clock, ...(guard && { guard }) });
};

type MailTools = Tools & { readonly breakers?: CircuitBreakers };

/** Messages in progress at the old server fail and are retried by their job. */
export class ReplaceableMail implements Mail {
  readonly #tools: MailTools;
  #guard: Guard | undefined;
  #current: Mail;

  constructor(options: MailOptions, tools: MailTools) {
    this.#tools = tools;
    this.#current = this.#open(options);
  }

  send(message: MailMessage): Promise<void> {
    return this.#current.send(message);
  }

  /** Throws RangeError and changes nothing if the options are invalid. */
  async replace(options: MailOptions): Promise<void> {
    const before = this.#current;
    this.#current = this.#open(options);
    await before[Symbol.asyncDispose]();
  }

  /** All servers share one breaker. */
  #open(options: MailOptions): Mail {
    const { breakers } = this.#tools;
    if (options.kind === 'smtp')
      this.#guard ??= breakers?.guard('smtp', { openMs: 10_000, isFailure: isMailServerDown });
    return openMail(options, { ...this.#tools, guard: this.#guard });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current[Symbol.asyncDispose]();
  }
}
