// An external consumer of events with a durable queue of its own.
import { randomUUID } from 'node:crypto';
import { type ChannelModel, connect } from 'amqplib';
import { eventsExchange } from '../../../server/src/platform/outbox/amqp-exporter.ts';
import { within } from '../../../server/src/platform/within.ts';

/** A reading that hangs is reported and begun again. */
const readingMs = 30_000;

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
      const connection = await connect(url, { timeout: readingMs });
      try {
        const heard = await within(readingMs, readWaiting(connection, queue));
        if (heard === undefined) throw new Error(`a reading did not end within ${readingMs} ms`);
        return heard;
      } finally {
        await within(readingMs, connection.close());
      }
    },
  };
}

async function readWaiting(connection: ChannelModel, queue: string): Promise<Heard[]> {
  const channel = await connection.createChannel();
  const heard: Heard[] = [];
  for (;;) {
    const message = await channel.get(queue);
    if (message === false) break;
    heard.push((JSON.parse(message.content.toString()) as { payload: Heard }).payload);
  }
  if (heard.length > 0) channel.ackAll();
  await channel.close();
  return heard;
}
