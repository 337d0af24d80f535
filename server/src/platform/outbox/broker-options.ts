// Options of the event broker.
import type { Secret } from '../secret.ts';

export type BrokerOptions = { kind: 'local' } | { kind: 'rabbitmq'; url: Secret };
