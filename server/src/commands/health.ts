// `health`: asks the server on this machine whether it is ready, for container health checks and scripts.
import { z } from 'zod';
import { readConfig } from '../config/config.ts';
import { ServiceUnavailable } from '../platform/installation.ts';
import { answer, UsageError } from './outcome.ts';

const timeoutMs = 2000;
const readinessPath = '/actuator/health/readiness';

/** A server that listens on every address is asked on loopback. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function toUrlHost(host: string): string {
  const target = loopbackOf[host] ?? host;
  return target.includes(':') ? `[${target}]` : target;
}

const readiness = z.object({ status: z.string() });

export async function health(args: readonly string[]): Promise<number> {
  const { http } = await readConfig(args.filter(arg => arg !== '--json'));
  if (http.port === 0)
    throw new UsageError('port 0 means any free port: pass the actual port of the server with --port.');
  const url = `http://${toUrlHost(http.host)}:${http.port}${readinessPath}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(cause => {
    throw new ServiceUnavailable(`no server answers at ${url}.`, { cause });
  });
  const read = readiness.safeParse(await response.json().catch(() => undefined));
  if (!read.success) throw new ServiceUnavailable(`the server at ${url} is not RecordProof.`);
  const { status } = read.data;
  return answer(
    args.includes('--json'),
    { json: { url, status, isReady: response.ok }, text: `${status}\n` },
    response.ok,
  );
}
