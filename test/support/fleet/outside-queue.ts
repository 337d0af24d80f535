// An external consumer of events with a durable queue of its own.
import { randomUUID } from 'node:crypto';
import { connect } from 'amqplib';
import { eventsExchange } from '../../../server/src/platform/outbox/amqp-exporter.ts';

/** As the server counts it. */
type Heard = { readonly fileId: number };

export async function openOutsideQueue(url: string, type: string): Promise<{ readAll(): Promise<Heard[]> }> {
  const queue = `outside.${randomUUID()}`;
  const setUp = await connect(url);
  const channel = await setUp.createChannel();
  await channel.assertQueue(queue, { durable: true });
  await channel.bindQueue(queue, eventsExchange, type);
  await setUp.close();
  return {
    readAll: async () => {
      const connection = await connect(url);
      try {
        const reading = await connection.createChannel();
        const heard: Heard[] = [];
        for (;;) {
          const message = await reading.get(queue, { noAck: true });
          if (message === false) return heard;
          heard.push((JSON.parse(message.content.toString()) as { payload: Heard }).payload);
        }
      } finally {
        await connection.close();
      }
    },
  };
}
