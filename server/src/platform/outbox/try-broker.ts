// Check of the broker: sends a message through an exclusive queue that ends with the connection.
import { randomBytes } from 'node:crypto';
import { connect } from 'amqplib';
import { within } from '../within.ts';
import { ExporterUnavailable } from './exporter.ts';

const connectTimeoutMs = 5000;
const messageTimeoutMs = 5000;

/** False if the connection works but the user may not declare queues. Rejects if it does not work. */
export async function tryBroker(url: string): Promise<boolean> {
  const connection = await connect(url, { timeout: connectTimeoutMs }).catch((error: unknown) => {
    throw new ExporterUnavailable(toReason(error));
  });
  connection.on('error', () => {});
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => {});
    const queue = await channel.assertQueue('', { exclusive: true, autoDelete: true }).catch((error: unknown) => {
      if (isForbidden(error)) return null;
      throw error;
    });
    if (queue === null) return false;
    const sent = randomBytes(16);
    const { promise: arrived, resolve } = Promise.withResolvers<boolean>();
    await channel.consume(queue.queue, message => resolve(message?.content.equals(sent) === true), { noAck: true });
    channel.sendToQueue(queue.queue, sent);
    await channel.waitForConfirms();
    if ((await within(messageTimeoutMs, arrived)) !== true)
      throw new ExporterUnavailable(
        `RabbitMQ accepted a test message, but did not deliver it within ${messageTimeoutMs / 1000} s`,
      );
    return true;
  } finally {
    await within(
      connectTimeoutMs,
      connection.close().catch(() => {}),
    );
  }
}

const isForbidden = (error: unknown): boolean => (error as { code?: unknown }).code === 403;

/** Without the URL, which holds a password. */
const toReason = (error: unknown): string => {
  const { code, message = '' } = error as { code?: unknown; message?: string };
  return /ACCESS.REFUSED/i.test(message)
    ? 'it rejects the credentials in rabbitmq-url'
    : `no connection (${String(code ?? 'unknown')})`;
};
