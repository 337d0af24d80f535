// Mail whose server and sender can be replaced at runtime. Messages in progress at the old server fail and are retried
// by their job.
import type { Guard } from '../circuit-breaker.ts';
import type { Mail, MailMessage } from './mail.ts';
import { type MailOptions, type MailTools, openMail, openMailGuard } from './open-mail.ts';

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
    if (options.kind === 'smtp') this.#guard ??= openMailGuard(this.#tools);
    return openMail(options, { ...this.#tools, guard: this.#guard });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current[Symbol.asyncDispose]();
  }
}
