// Mails over SMTP: delivery, login, TLS, reused connections, restarts, timeouts and header injection.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { testWith } from '../../../../test/support/programs.ts';
import {
  type RunningSmtpServer,
  type SmtpServerOptions,
  startSmtpServer,
} from '../../../../test/support/smtp-server.ts';
import { MailFailed, type MailMessage, parseSender } from './mail.ts';
import { SmtpMail, type SmtpMailOptions } from './smtp-mail.ts';
import type { SmtpEndpoint } from './smtp-url.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

const start = async (options: SmtpServerOptions = {}) => {
  const server = await startSmtpServer(options);
  opened.push(server);
  return server;
};

const mailTo = (
  { host, port }: Pick<RunningSmtpServer, 'host' | 'port'>,
  endpoint: Partial<SmtpEndpoint> = {},
  options: Partial<SmtpMailOptions> = {},
) => {
  const mail = new SmtpMail({
    endpoint: { host, port, tls: 'offered', login: undefined, ...endpoint },
    sender: parseSender('RecordProof <no-reply@proof.test>'),
    clock: { now: () => Date.UTC(2026, 5, 1, 12) },
    ...options,
  });
  opened.push(mail);
  return mail;
};

const message: MailMessage = { to: 'alice@example.test', subject: 'Your code', text: 'The code is 123456.' };

const failureOf = async (sending: Promise<void>): Promise<MailFailed> => {
  const failure = await sending.catch((error: unknown) => error);
  if (!(failure instanceof MailFailed)) throw new Error(`expected a MailFailed, got ${failure}`);
  return failure;
};

test('a mail is delivered with its text, its HTML and its UTF-8 subject', async () => {
  const server = await start();
  const subject = 'Vérification – 驗證碼 🔑 '.repeat(6).trim();
  await mailTo(server).send({ ...message, subject, text: 'Grüße\n.\nend', html: '<p>Grüße</p>' });
  const [mail] = server.received;
  expect(mail).toMatchObject({ from: 'no-reply@proof.test', to: ['alice@example.test'] });
  expect(mail?.email).toMatchObject({
    subject,
    from: { name: 'RecordProof', address: 'no-reply@proof.test' },
    to: [{ address: 'alice@example.test' }],
    date: '2026-06-01T12:00:00.000Z',
  });
  expect(mail?.email.text?.trim()).toBe('Grüße\n.\nend');
  expect(mail?.email.html?.trim()).toBe('<p>Grüße</p>');
  expect(mail?.email.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  );
});

test('connections are reused', async () => {
  const server = await start();
  const mail = mailTo(server);
  for (let i = 0; i < 5; i++) await mail.send(message);
  expect(server.received).toHaveLength(5);
  expect(server.connections()).toBe(1);
});

test('a login is used, and a rejected login is a separate failure without the password', async () => {
  const server = await start({ login: { user: 'robot', pass: 'right' } });
  await mailTo(server, { login: { user: 'robot', pass: 'right' } }).send(message);
  expect(server.received).toHaveLength(1);
  const failure = await failureOf(mailTo(server, { login: { user: 'robot', pass: 'hunter2' } }).send(message));
  expect(failure).toMatchObject({ failure: 'unauthorized', smtpCode: 535, retryable: true });
  expect(JSON.stringify(failure) + failure.message + failure.cause).not.toContain('hunter2');
});

test.each([
  ['defer-recipient', 'deferred', 451, true],
  ['refuse-recipient', 'refused', 550, false],
  ['defer-data', 'deferred', 452, true],
  ['refuse-data', 'refused', 554, false],
] as const)('the response "%s" is reported as %s (%d)', async (behaviour, failure, smtpCode, retryable) => {
  const server = await start();
  const mail = mailTo(server);
  server.behaviour = behaviour;
  expect(await failureOf(mail.send(message))).toMatchObject({ failure, smtpCode, retryable });
  server.behaviour = 'accept';
  await mail.send(message);
  expect(server.received).toHaveLength(1);
});

test('a server that is down is unreachable, and used again when it is up', async () => {
  const server = await startSmtpServer();
  await server[Symbol.asyncDispose]();
  const mail = mailTo(server);
  expect(await failureOf(mail.send(message))).toMatchObject({ failure: 'unreachable', retryable: true });
  const again = await start({ port: server.port });
  await mail.send(message);
  expect(again.received).toHaveLength(1);
});

test('a server that restarted between two mails is used again', async () => {
  const server = await startSmtpServer();
  const mail = mailTo(server);
  await mail.send(message);
  await server[Symbol.asyncDispose]();
  const again = await start({ port: server.port });
  await mail.send(message);
  expect(again.received).toHaveLength(1);
});

test('a server that does not respond causes a timeout', async () => {
  const server = await start();
  server.behaviour = 'hang';
  const mail = mailTo(server, {}, { timeoutMs: 100 });
  expect(await failureOf(mail.send(message))).toMatchObject({ failure: 'unreachable', retryable: true });
});

test('message fields cannot add headers or recipients', async () => {
  const server = await start();
  const mail = mailTo(server);
  for (const to of [
    'a@example.test\r\nBcc: eve@example.test',
    'a@example.test, eve@example.test',
    'a@example.test;eve@example.test',
    '"a" <a@example.test>',
    '<a@example.test> NOTIFY=SUCCESS',
    'a@example.test\u0000',
    'a@b@example.test',
    'a@[127.0.0.1]',
    '',
    `${'x'.repeat(250)}@example.test`,
  ]) {
    expect(await failureOf(mail.send({ ...message, to }))).toMatchObject({ failure: 'invalid', retryable: false });
  }
  for (const subject of ['x\r\nBcc: eve@example.test', 'x\ny', 'x\u2028y', 'x'.repeat(256)]) {
    expect(await failureOf(mail.send({ ...message, subject }))).toMatchObject({ failure: 'invalid' });
  }
  expect(server.received).toHaveLength(0);
  await mail.send({ ...message, text: '\r\n.\r\nMAIL FROM:<eve@example.test>\r\nBcc: eve@example.test' });
  expect(server.received).toHaveLength(1);
  expect(server.received[0]?.email.bcc ?? []).toEqual([]);
});

const makeCertificate = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-smtp-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    await promisify(execFile)('openssl', [...request, ...names, '-keyout', key, '-out', cert]);
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  } finally {
    await rm(folder, { recursive: true });
  }
};

testWith('openssl')(
  'implicit TLS and STARTTLS both encrypt the connection, and an unknown certificate is rejected',
  async () => {
    const pair = await makeCertificate();
    for (const tls of ['implicit', 'required', 'offered'] as const) {
      const server = await start({ tls: { ...pair, implicit: tls === 'implicit' } });
      await mailTo(server, { tls }, { trustedCa: pair.cert }).send(message);
      expect(server.received[0]?.secure).toBe(true);
      expect(await failureOf(mailTo(server, { tls }).send(message))).toMatchObject({ failure: 'unreachable' });
      expect(server.received).toHaveLength(1);
    }
  },
);

test('no password is sent to a server without TLS if TLS is required', async () => {
  const server = await start({ login: { user: 'robot', pass: 'right' } });
  const mail = mailTo(server, { tls: 'required', login: { user: 'robot', pass: 'right' } });
  expect(await failureOf(mail.send(message))).toMatchObject({ failure: 'unreachable', retryable: true });
  expect(server.received).toHaveLength(0);
});
