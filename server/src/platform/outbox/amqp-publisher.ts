// Publishing with the broker's word for it. Refuses to wait longer than its time for a confirmation.

import type { ConfirmChannel, Options } from 'amqplib';
import { TransportUnavailable } from './transport.ts';

/** Resolves when the broker has the message for good. */
export const publishConfirmed = async (
  channel: ConfirmChannel,
  target: { readonly exchange: string; readonly routingKey: string },
  content: Buffer,
  options: Options.Publish,
  timeoutMs: number,
): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new TransportUnavailable('the broker did not confirm in time')), timeoutMs);
  try {
    channel.publish(target.exchange, target.routingKey, content, { ...options, persistent: true }, error => {
      if (error) reject(new TransportUnavailable(String(error.message)));
      else resolve();
    });
    await promise;
  } catch (error) {
    // The client throws at once when the channel is closed already.
    throw error instanceof TransportUnavailable ? error : new TransportUnavailable('the connection was lost');
  } finally {
    clearTimeout(timer);
  }
};
