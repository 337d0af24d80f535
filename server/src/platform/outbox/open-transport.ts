import type { LogPort } from '../log-port.ts';
import { LocalTransport } from './local-transport.ts';
import type { ConsumerGroup, OutboxTransport } from './transport.ts';

export type TransportConfig = { readonly kind: 'local' } | { readonly kind: 'rabbitmq'; readonly url: string };

/** Opens what the configuration names. The AMQP client is loaded only for those who use RabbitMQ. */
export const openTransport = async (
  config: TransportConfig,
  { groups, log }: { readonly groups: readonly ConsumerGroup[]; readonly log: LogPort },
): Promise<OutboxTransport> => {
  switch (config.kind) {
    case 'local':
      return new LocalTransport({ groups });
    case 'rabbitmq': {
      const { openAmqpTransport } = await import('./amqp-transport.ts');
      return await openAmqpTransport({ url: config.url, groups, log });
    }
  }
};
