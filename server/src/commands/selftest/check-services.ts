// Selftest of the services: mail, Redis, RabbitMQ. Everything sent to them is removed again; a mail is sent only to an
// address that was given.
import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { systemClock } from '../../platform/clock.ts';
import { openCluster } from '../../platform/cluster/open-cluster.ts';
import { openMail } from '../../platform/mail/open-mail.ts';
import { checkSmtp } from '../../platform/mail/smtp-mail.ts';
import { parseSmtpUrl } from '../../platform/mail/smtp-url.ts';
import { tryBroker } from '../../platform/outbox/try-broker.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { within } from '../../platform/within.ts';
import { type Check, failed, ok, runCheck, skipped } from './check.ts';

const tools = { clock: systemClock, log: silentLog };
const mailRemedy = 'Correct SMTP_URL and RECORDPROOF_MAIL_FROM, or repair the mail server.';

export const checkMail = ({ mail }: Config, mailTo: string | undefined): Promise<Check> =>
  runCheck('mail', mailRemedy, async () => {
    if (mail.kind === 'files') {
      const found = 'no SMTP server is set: mail is written to a folder';
      return mailTo === undefined ? skipped(found) : failed(found, 'Set SMTP_URL and RECORDPROOF_MAIL_FROM.');
    }
    if (mailTo === undefined) {
      await checkSmtp(parseSmtpUrl(mail.url.reveal()));
      return ok('the SMTP server accepts our connection; --mail-to ADDRESS sends a test mail');
    }
    await using sender = openMail(mail, tools);
    const text = 'This is the test mail of "recordproof-server selftest". RecordProof can send mail.\n';
    await sender.send({ to: mailTo, subject: 'RecordProof: test mail', text });
    return ok('the SMTP server accepted the test mail');
  });

const redisRemedy = 'Start Redis, or correct REDIS_URL; until then each server counts by itself.';
const valueMs = 10_000;
const messageTimeoutMs = 5000;

export const checkRedis = ({ cluster }: Config, name: string): Promise<Check> =>
  runCheck('redis', redisRemedy, async () => {
    if (cluster.kind === 'memory') return skipped('not used: one server');
    await using redis = await openCluster(cluster, tools);
    const key = `selftest:${name}`;
    const value = randomBytes(8).toString('hex');
    const { promise: arrived, resolve } = Promise.withResolvers<boolean>();
    const unsubscribe = await redis.subscribe(key, message => resolve(message === value));
    try {
      const isStored = await redis.putOnce(key, value, valueMs);
      if (!isStored || (await redis.take(key)) !== value) return failed('a value did not come back', redisRemedy);
      await redis.publish(key, value);
      if ((await within(messageTimeoutMs, arrived)) !== true) return failed('a message did not arrive', redisRemedy);
    } finally {
      unsubscribe();
    }
    const health = await redis.probe();
    return ok(
      `version ${(health.mode === 'redis' && health.version) || 'unknown'} keeps values and passes messages on`,
    );
  });

const brokerRemedy = 'Start RabbitMQ, or correct RABBITMQ_URL; until then events wait.';

export const checkBroker = ({ outbox }: Config): Promise<Check> =>
  runCheck('rabbitmq', brokerRemedy, async () => {
    if (outbox.kind === 'local') return skipped('not used');
    return (await tryBroker(outbox.url.reveal()))
      ? ok('a message went through a queue and came back')
      : ok('it accepts the credentials; no message was sent, because this user may not create queues');
  });
