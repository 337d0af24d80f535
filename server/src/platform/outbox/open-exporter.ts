// Selection of the event exporter by configuration.
import type { CircuitBreakers } from '../circuit-breaker.ts';
import type { LogPort } from '../log-port.ts';
import type { Secret } from '../secret.ts';
import type { EventExporter } from './exporter.ts';

export type BrokerOptions = { kind: 'local' } | { kind: 'rabbitmq'; url: Secret };

type Tools = { readonly log: LogPort; readonly breakers?: CircuitBreakers };

/** Opens the configured exporter; null without a broker. The AMQP client is loaded only if it is used. */
export const openExporter = async (config: BrokerOptions, { log, breakers }: Tools): Promise<EventExporter | null> => {
  if (config.kind === 'local') return null;
  const { openAmqpExporter } = await import('./amqp-exporter.ts');
  const guard = breakers?.guard('rabbitmq', { openMs: 5000 });
  return openAmqpExporter({ url: config.url.reveal(), log, ...(guard && { guard }) });
};
