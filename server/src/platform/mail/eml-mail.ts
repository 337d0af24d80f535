// Mail without an SMTP server: each message becomes an owner-only file whose path is logged, so that a person at a
// laptop finds the mailed code.

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import type { LogPort } from '../log-port.ts';
import { checkMessage, type Mail, MailFailed, type MailMessage, type Sender, toComposition } from './mail.ts';

type EmlMailOptions = {
  readonly folder: string;
  readonly sender: Sender;
  readonly clock: { now(): number };
  readonly log: LogPort;
};

export class EmlMail implements Mail {
  readonly #options: EmlMailOptions;

  constructor(options: EmlMailOptions) {
    this.#options = options;
  }

  async send(message: MailMessage): Promise<void> {
    checkMessage(message);
    const { folder, sender, clock, log } = this.#options;
    const date = new Date(clock.now());
    const bytes = await compose(message, sender, date);
    const path = join(folder, `${toFileTime(date)}-${randomBytes(6).toString('hex')}.eml`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeDurably(path, bytes);
    } catch (error) {
      throw new MailFailed('unreachable', `the file could not be written: ${(error as NodeJS.ErrnoException).code}`);
    }
    log.info({ path }, 'no SMTP server is configured; the mail was written to a file');
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const compose = async (message: MailMessage, sender: Sender, date: Date): Promise<Buffer> => {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  return await new MailComposer({ ...toComposition(message, sender, date), newline: 'win' }).compile().build();
};

const toFileTime = (date: Date): string => date.toISOString().replaceAll(/[-:]/g, '').replace('T', '-');
