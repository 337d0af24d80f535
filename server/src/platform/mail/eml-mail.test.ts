// Mails as EML files: format, permissions, log, concurrency, and errors of the disk.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MailFailed } from './mail.ts';
import { openMail } from './open-mail.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'recordproof-mail-'));
});
afterEach(() => rm(data, { recursive: true }));

const logged: string[] = [];
const openFiles = (folder = join(data, 'mail')) => {
  logged.length = 0;
  const log = { info: (fields: object) => logged.push(JSON.stringify(fields)), warn: () => {} };
  const clock = { now: () => Date.UTC(2026, 5, 1, 12, 30) };
  return openMail({ kind: 'files', folder, from: 'Révision <no-reply@proof.test>' }, { clock, log });
};
const message = { to: 'alice@example.test', subject: 'Código de verificación ✓', text: 'The code is 123456 – ok?' };

test('a mail is written as one valid EML file, readable by its owner only', async () => {
  await openFiles().send({ ...message, html: '<b>123456</b>' });
  const names = await readdir(join(data, 'mail'));
  expect(names).toEqual([expect.stringMatching(/^20260601-123000\.000Z-[0-9a-f]{12}\.eml$/)]);
  const path = join(data, 'mail', names[0] ?? '');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(data, 'mail'))).mode & 0o777).toBe(0o700);
  const bytes = await readFile(path);
  expect(bytes.toString().replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  const email = await PostalMime.parse(bytes);
  expect(email).toMatchObject({
    subject: message.subject,
    from: { name: 'Révision', address: 'no-reply@proof.test' },
    to: [{ address: 'alice@example.test' }],
    date: '2026-06-01T12:30:00.000Z',
    messageId: expect.stringMatching(/@proof\.test>$/),
  });
  expect([email.text?.trim(), email.html?.trim()]).toEqual([message.text, '<b>123456</b>']);
});

test('the path of a mail is logged, its content is not', async () => {
  await openFiles().send(message);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toContain('.eml');
  expect(logged[0]).not.toMatch(/123456|alice|Código/);
});

test('concurrent mails do not overwrite each other', async () => {
  const mail = openFiles();
  await Promise.all(Array.from({ length: 20 }, () => mail.send(message)));
  expect(await readdir(join(data, 'mail'))).toHaveLength(20);
});

test('a disk error is a retryable failure', async () => {
  const notAFolder = join(data, 'file');
  await writeFile(notAFolder, '');
  const failure = await openFiles(notAFolder)
    .send(message)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MailFailed);
  expect(failure).toMatchObject({ failure: 'unreachable', retryable: true });
});

test('an invalid recipient is rejected', async () => {
  const failure = await openFiles()
    .send({ ...message, to: 'a@b.test\nBcc: c@d.test' })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ failure: 'invalid' });
});

test('an invalid sender prevents the start', () => {
  const tools = { clock: Date, log: { info: () => {}, warn: () => {} } };
  for (const from of ['RecordProof', 'A <a@b.test>\r\nBcc: c@d.test', 'A <a@b.test>, B <b@b.test>', '']) {
    expect(() => openMail({ kind: 'files', folder: data, from }, tools)).toThrow('sender of mails');
  }
});
