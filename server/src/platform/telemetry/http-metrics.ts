// How long requests took, by method, route pattern and class of status: what the error rate and latency goals read.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { Observation } from '../http/door.ts';
import { toFastifyPath } from '../http/http-server.ts';
import type { Metrics } from './metrics.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;
const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** The label of requests that no route answers. */
const noRoute = '(none)';

/** Returns what `buildHttp` calls after each answer. */
export function observeRequests(metrics: Metrics, endpoints: readonly AnyEndpoint[]): (seen: Observation) => void {
  const patterns = endpoints.flatMap(endpoint => [endpoint.path, ...endpoint.aliases].map(toFastifyPath));
  const timer = metrics.timer({
    name: 'http_server_requests_seconds',
    help: 'Time from the first byte of a request to the end of its answer, in seconds',
    labels: {
      method: methods,
      route: [...new Set([...patterns, noRoute])] as readonly string[],
      status: statusClasses,
    },
  });
  return ({ method, path, status, seconds }) => {
    const statusClass = statusClasses[Math.floor(status / 100) - 1] ?? '5xx';
    timer.observe({ method: method as (typeof methods)[number], route: path, status: statusClass }, seconds);
  };
}
