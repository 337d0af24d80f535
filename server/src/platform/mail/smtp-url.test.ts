// SMTP URLs: TLS modes, ports, encoded passwords, and messages without secrets.
import { expect, test } from 'vitest';
import { parseSmtpUrl } from './smtp-url.ts';

test('smtps uses TLS from the start, on port 465 by default', () => {
  expect(parseSmtpUrl('smtps://mail.example.org')).toEqual({
    host: 'mail.example.org',
    port: 465,
    tls: 'implicit',
    login: undefined,
  });
  expect(parseSmtpUrl('smtps://u:p@mail.example.org:1465')).toMatchObject({
    port: 1465,
    login: { user: 'u', pass: 'p' },
  });
});

test('smtp uses STARTTLS if offered, and requires it if a password would cross a network', () => {
  expect(parseSmtpUrl('smtp://relay.example.org')).toMatchObject({ port: 587, tls: 'offered' });
  expect(parseSmtpUrl('smtp://u:p@relay.example.org:25')).toMatchObject({ port: 25, tls: 'required' });
  expect(parseSmtpUrl('smtp://u:p@localhost:25').tls).toBe('offered');
  expect(parseSmtpUrl('smtp://u:p@[::1]:25')).toMatchObject({ host: '::1', tls: 'offered' });
  expect(parseSmtpUrl('smtp://u:p@127.0.0.1.example.org').tls).toBe('required');
});

test('the option tls overrides the default', () => {
  expect(parseSmtpUrl('smtp://u:p@relay.example.org?tls=off').tls).toBe('off');
  expect(parseSmtpUrl('smtp://relay.example.org/?tls=required').tls).toBe('required');
});

test('a password can have any character, percent-encoded', () => {
  expect(parseSmtpUrl('smtp://user%40example.org:p%3A%2F%40ss@localhost').login).toEqual({
    user: 'user@example.org',
    pass: 'p:/@ss',
  });
});

test('an invalid URL is rejected with a message that does not repeat it', () => {
  for (const bad of [
    'mail.example.org',
    'http://u:hunter2@mail.example.org',
    'smtp://u:hunter2@',
    'smtp://u:hunter2@mail.example.org/path',
    'smtp://u:hunter2@mail.example.org?tls=maybe',
    'smtp://u:hunter2@mail.example.org?pool=true',
    'smtps://u:hunter2@mail.example.org?tls=off',
    'smtp://u:hunter2%ZZ@mail.example.org',
  ]) {
    expect(() => parseSmtpUrl(bad)).toThrow(/^SMTP_URL (?!.*hunter2)/);
  }
});
