// Metrics of event streams. Labels never name a tenant or a user.
import { endReasons } from '@recordproof/shared/api/events.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Ending } from './stream.ts';

export type StreamMetrics = {
  sent(count: number): void;
  ended(ending: Ending): void;
  refused(): void;
};

export function declareStreamMetrics(metrics: Metrics, countOpen: () => number): StreamMetrics {
  let sent = 0;
  metrics.gauge({
    name: 'event_streams_open',
    help: 'Event streams that are open on this server',
    labels: {},
    read: () => [{ labels: {}, value: countOpen() }],
  });
  metrics.total({
    name: 'event_messages_sent_total',
    help: 'Events handed to event streams, each stream counted',
    read: () => sent,
  });
  const ended = metrics.counter({
    name: 'event_streams_ended_total',
    help: 'Event streams that ended, by why: closed by the client, slow to read, or by the server',
    labels: { reason: ['closed', 'slow', ...endReasons] },
  });
  const rejected = metrics.counter({
    name: 'event_streams_refused_total',
    help: 'Event streams that were refused because the server held as many as it may',
    labels: {},
  });
  return {
    sent: count => {
      sent += count;
    },
    ended: reason => ended.add({ reason }),
    refused: () => rejected.add({}),
  };
}
