// An external consumer of events with a durable queue of its own.
import { randomUUID } from 'node:crypto';
import { connect } from 'amqplib';
import { eventsExchange } from '../../../server/src/platform/outbox/amqp-exporter.ts';

/** As the server counts it. */
type Heard = { readonly fileId: number };

export type OutsideQueue = {
  /** Reads what is waiting. Messages count once they are acknowledged: those of a reading that breaks off come again. */
  readAll(): Promise<Heard[]>;
};

export async function openOutsideQueue(url: string, type: string): Promise<OutsideQueue> {
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
          const message = await reading.get(queue);
          if (message === false) break;
          heard.push((JSON.parse(message.content.toString()) as { payload: Heard }).payload);
        }
        if (heard.length > 0) reading.ackAll();
        await reading.close();
        return heard;
      } finally {
        await connection.close();
      }
    },
  };
}
