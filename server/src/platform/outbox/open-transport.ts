import type { OutboxConfig } from '../../config.ts';
import type { LogPort } from '../log-port.ts';
import { LocalTransport } from './local-transport.ts';
import type { ConsumerGroup, OutboxTransport } from './transport.ts';

/** Opens what the configuration names. The AMQP client is loaded only for those who use RabbitMQ. */
export const openTransport = async (
  config: OutboxConfig,
  { groups, log }: { readonly groups: readonly ConsumerGroup[]; readonly log: LogPort },
): Promise<OutboxTransport> => {
  switch (config.kind) {
    case 'local':
      return new LocalTransport({ groups });
    case 'rabbitmq': {
      const { openAmqpTransport } = await import('./amqp-transport.ts');
      return await openAmqpTransport({ url: config.url.reveal(), groups, log });
    }
  }
};
