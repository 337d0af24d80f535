import type { OutboxConfig } from '../../config.ts';
import type { CircuitBreakers } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import { LocalTransport } from './local-transport.ts';
import type { ConsumerGroup, OutboxTransport } from './transport.ts';

type Ports = {
  readonly groups: readonly ConsumerGroup[];
  readonly log: LogPort;
  readonly breakers?: CircuitBreakers;
};

/** Opens what the configuration names. The AMQP client is loaded only for those who use RabbitMQ. */
export const openTransport = async (
  config: OutboxConfig,
  { groups, log, breakers }: Ports,
): Promise<OutboxTransport> => {
  switch (config.kind) {
    case 'local':
      return new LocalTransport({ groups });
    case 'rabbitmq': {
      const { openAmqpTransport } = await import('./amqp-transport.ts');
      const guard = breakers?.guard('rabbitmq', { openMs: 5000 });
      return await openAmqpTransport({ url: config.url.reveal(), groups, log, ...(guard && { guard }) });
    }
  }
};
