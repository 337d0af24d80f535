// Request durations by method, route pattern and status class, for the error rate and latency objectives.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { Observation } from '../http/http-context.ts';
import { toFastifyPath } from '../http/http-server.ts';
import type { Goals } from './goals.ts';
import type { Metrics } from './metrics.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;
const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** Label of requests without a route. */
const noRoute = '(none)';

/** Probes do not count as API calls. */
const isProbe = (path: string): boolean => path.startsWith('/actuator/');

const isUpload = ({ feature, method }: AnyEndpoint): boolean =>
  (feature === 'uploads' || feature === 'short-uploads') && (method === 'POST' || method === 'PUT');

type Ports = { readonly metrics: Metrics; readonly goals: Pick<Goals, 'record'> };

/** Returns the observer that `buildHttp` calls after each response. */
export function observeRequests(
  { metrics, goals }: Ports,
  endpoints: readonly AnyEndpoint[],
): (observation: Observation) => void {
  const uploads = new Set(endpoints.filter(isUpload).flatMap(({ method, path }) => `${method} ${toFastifyPath(path)}`));
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
    if (!isProbe(path)) goals.record('api-errors', status < 500);
    if (method !== 'GET' && uploads.has(`${method} ${path}`)) goals.record('upload-success', status < 500);
    timer.observe({ method: method as (typeof methods)[number], route: path, status: statusClass }, seconds);
  };
}
