// What stands in the broker: one topic exchange, and for each consumer group a queue and a queue of dead letters.
// All durable and declared before anything is published, so that no event is confirmed with nowhere to go.
// The queue type is the virtual host's default: quorum for a cluster. Not asked for by us, because a single broker
// that is killed soon after declaring a quorum queue forgets the queue with its confirmed messages (seen with 3.10).

import type { Channel } from 'amqplib';
import type { ConsumerGroup } from './transport.ts';

export const eventsExchange = 'recordproof.events';
const deadExchange = 'recordproof.dead';

export const queueOf = (group: string): string => `recordproof.${group}`;
export const deadQueueOf = (group: string): string => `recordproof.${group}.dead`;

export const declareTopology = async (channel: Channel, groups: readonly ConsumerGroup[]): Promise<void> => {
  await channel.assertExchange(eventsExchange, 'topic', { durable: true });
  await channel.assertExchange(deadExchange, 'direct', { durable: true });
  for (const { name, types } of groups) {
    await channel.assertQueue(deadQueueOf(name), { durable: true });
    await channel.bindQueue(deadQueueOf(name), deadExchange, name);
    // Where the broker itself limits deliveries, what it drops is kept as well.
    await channel.assertQueue(queueOf(name), {
      durable: true,
      deadLetterExchange: deadExchange,
      deadLetterRoutingKey: name,
    });
    for (const type of types) await channel.bindQueue(queueOf(name), eventsExchange, type);
  }
};
