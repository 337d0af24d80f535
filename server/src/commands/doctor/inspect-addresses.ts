// Checks of addresses: the public URL, presigned links, and the trusted proxies.
import type { Config } from '../../config/config.ts';
import { systemClock } from '../../platform/clock.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const timeoutMs = 5000;
const mostSkewMs = 5000;

const loopback = /^(127\.|\[?::1\]?$|localhost$)/;

/** Null if there is no answer. */
async function ask(url: string, init: RequestInit = {}): Promise<Response | null> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    await answer.body?.cancel();
    return answer;
  } catch {
    return null;
  }
}

export async function inspectPublicUrl({ http: { publicUrl, host } }: Config): Promise<Finding[]> {
  if (publicUrl === undefined) {
    if (loopback.test(host)) return [ok('public-url', 'not set: the server is for this machine alone')];
    const found = 'not set, though the server listens for others: links and presigned addresses name this machine';
    return [warning('public-url', found, 'Set public-url to the address that people use.')];
  }
  const url = new URL(publicUrl);
  const findings: Finding[] = [];
  if (url.protocol === 'http:' && !loopback.test(url.hostname))
    findings.push(
      warning(
        'public-url',
        `${publicUrl} is not encrypted: passwords cross the network as they are`,
        'Put a proxy with TLS before it (docs/guide/self-hosting.md).',
      ),
    );
  const answer = await ask(`${publicUrl}/actuator/health/liveness`);
  if (answer === null)
    findings.push(
      failure(
        'public-url',
        `no server answers at ${publicUrl}`,
        'Start the server, or correct the proxy, its certificate, or public-url.',
      ),
    );
  else if (answer.status !== 200)
    findings.push(
      failure('public-url', `${publicUrl} answers ${answer.status}`, 'Let the proxy pass every path on to the server.'),
    );
  else findings.push(ok('public-url', `${publicUrl} answers`), ...compareClocks(publicUrl, answer));
  return findings;
}

function compareClocks(url: string, { headers }: Response): Finding[] {
  const there = Date.parse(headers.get('date') ?? '');
  const skew = systemClock.now() - there;
  // The Date header has whole seconds.
  if (Number.isNaN(there) || Math.abs(skew) < mostSkewMs + 1000) return [];
  return [
    warning(
      'clock',
      `this clock and that of ${url} are ${Math.round(skew / 1000)} s apart`,
      'Run a time service (chrony, systemd-timesyncd) on both.',
    ),
  ];
}

/** Presigned links, by which clients upload to the store directly. */
export async function inspectPresigned({ objects, http: { publicUrl } }: Config): Promise<Finding[]> {
  if (objects.kind === 'disk') return [ok('presigned', 'links lead to the server itself')];
  const endpoint = objects.publicEndpoint ?? objects.endpoints[0] ?? '';
  if (publicUrl?.startsWith('https:') && endpoint.startsWith('http:'))
    return [
      failure(
        'presigned',
        `browsers that open ${publicUrl} refuse links to ${endpoint}, which is not encrypted`,
        'Set s3-public-endpoint to an address with https.',
      ),
    ];
  const bucket = `${endpoint}/${objects.bucket}`;
  const answer = await ask(bucket, { method: 'HEAD' });
  if (answer === null)
    return [
      failure(
        'presigned',
        `no server answers at ${endpoint}, the address of transfer links`,
        'Set s3-public-endpoint to what clients reach.',
      ),
    ];
  const findings = [ok('presigned', `links lead to ${endpoint}, which answers`), ...compareClocks(endpoint, answer)];
  return publicUrl === undefined ? findings : [...findings, ...(await inspectCors(bucket, new URL(publicUrl).origin))];
}

async function inspectCors(bucket: string, origin: string): Promise<Finding[]> {
  const headers = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' };
  const allowed = (await ask(`${bucket}/doctor`, { method: 'OPTIONS', headers }))?.headers.get(
    'access-control-allow-origin',
  );
  if (allowed === '*' || allowed === origin) return [ok('presigned', `browsers at ${origin} may send to the bucket`)];
  return [
    warning(
      'presigned',
      `browsers at ${origin} may not send to the bucket`,
      'Give it the CORS rules of docs/guide/object-storage.md.',
    ),
  ];
}

/** Networks wider than the largest private one (10.0.0.0/8) contain untrusted hosts. */
const fewestBits = 7;

export function inspectProxies({ http: { publicUrl, trustedProxies } }: Config): Finding[] {
  const wide = trustedProxies.find(network => Number(network.split('/')[1] ?? fewestBits) < fewestBits);
  if (wide !== undefined)
    return [
      failure(
        'proxies',
        `trusted-proxies has ${wide}: any client in it can claim any address`,
        'List only the addresses of the proxies.',
      ),
    ];
  if (publicUrl !== undefined && trustedProxies.length === 0)
    return [
      warning(
        'proxies',
        'public-url is set and trusted-proxies is not: behind a proxy all clients share one rate limit',
        'Set trusted-proxies to the address of the proxy, for instance loopback.',
      ),
    ];
  return [ok('proxies', trustedProxies.length === 0 ? 'none is trusted' : `trusted: ${trustedProxies.join(', ')}`)];
}
