// Mail over SMTP: a small connection pool, bounded waits, and failures classified for retries.

import type { NodemailerError, SMTPPoolOptions, SMTPPoolSentMessageInfo, Mail as Transport } from 'nodemailer';
import { CircuitOpenError, type Guard, unguarded } from '../circuit-breaker.ts';
import {
  checkMessage,
  type Mail,
  MailFailed,
  type MailFailure,
  type MailMessage,
  type Sender,
  toComposition,
} from './mail.ts';
import type { SmtpEndpoint } from './smtp-url.ts';

export type SmtpMailOptions = {
  readonly endpoint: SmtpEndpoint;
  readonly sender: Sender;
  readonly clock: { now(): number };
  /** Time limit of a message, including the wait for a connection. */
  readonly timeoutMs?: number;
  /** CA certificates (PEM) to trust instead of the default ones. */
  readonly trustedCa?: string;
  /** Wraps each message, so that nothing waits for an unresponsive server. */
  readonly guard?: Guard;
};

type Pool = Transport<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

export class SmtpMail implements Mail {
  readonly #options: SmtpMailOptions;
  #pool: Promise<Pool> | undefined;
  #closed = false;

  constructor(options: SmtpMailOptions) {
    this.#options = options;
  }

  async send(message: MailMessage): Promise<void> {
    checkMessage(message);
    if (this.#closed) throw new MailFailed('unreachable', 'the mailer was closed');
    const { guard = unguarded } = this.#options;
    try {
      await guard(() => this.#deliver(message));
    } catch (error) {
      throw error instanceof CircuitOpenError ? new MailFailed('unreachable', error.message, undefined, error) : error;
    }
  }

  async #deliver(message: MailMessage): Promise<void> {
    const { sender, clock, timeoutMs = 30_000 } = this.#options;
    this.#pool ??= openPool(this.#options, timeoutMs);
    const pool = await this.#pool;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      await pool.sendMail({ ...toComposition(message, sender, new Date(clock.now())), xMailer: false, signal });
    } catch (error) {
      throw toMailFailed(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    (await this.#pool)?.close({ force: true });
  }
}

/** Connects and logs in, but sends no message. Throws MailFailed. */
export async function checkSmtp(endpoint: SmtpEndpoint, timeoutMs = 10_000): Promise<void> {
  const pool = await openPool({ endpoint }, timeoutMs);
  try {
    await pool.verify();
  } catch (error) {
    throw toMailFailed(error);
  } finally {
    pool.close({ force: true });
  }
}

/** Whether a failure concerns the server rather than one message. */
export const isMailServerDown = (error: unknown): boolean =>
  error instanceof MailFailed && (error.failure === 'unreachable' || error.failure === 'unauthorized');

type PoolOptions = Pick<SmtpMailOptions, 'endpoint' | 'trustedCa'>;

const openPool = async ({ endpoint, trustedCa }: PoolOptions, timeoutMs: number): Promise<Pool> => {
  const { createTransport } = await import('nodemailer');
  const { host, port, tls, login } = endpoint;
  return createTransport({
    pool: true,
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'required',
    ignoreTLS: tls === 'off',
    ...(login === undefined ? {} : { auth: login }),
    ...(trustedCa === undefined ? {} : { tls: { ca: trustedCa } }),
    maxConnections: 3,
    maxMessages: 100,
    // Once, because the server may have closed an idle pooled connection.
    maxRequeues: 1,
    idleTimeout: 30_000,
    dnsTimeout: Math.min(timeoutMs, 5000),
    connectionTimeout: Math.min(timeoutMs, 10_000),
    greetingTimeout: Math.min(timeoutMs, 10_000),
    socketTimeout: Math.min(timeoutMs, 20_000),
    maxResponseSize: 64 * 1024,
  });
};

const toMailFailed = (error: unknown): MailFailed => {
  const { code, responseCode, message } = error as NodemailerError;
  return new MailFailed(toFailure(code, responseCode), toOneLine(message), responseCode);
};

const toFailure = (code: string | undefined, smtpCode: number | undefined): MailFailure => {
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'unauthorized';
  // Only these codes concern the message; all others concern the connection.
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return 'unreachable';
  if (smtpCode === undefined) return code === 'EENVELOPE' ? 'invalid' : 'unreachable';
  return smtpCode >= 500 && smtpCode !== 503 ? 'refused' : 'deferred';
};

// The server's text is useful in the log, but attacker-controlled.
const toOneLine = (text: string): string =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 300);
