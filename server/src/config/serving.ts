// Configuration of HTTP, rate limits and tracing.
import type { RateClass } from '@recordproof/shared/api/endpoint.ts';
import type { TracingOptions } from '../platform/telemetry/tracing.ts';
import { type Read, toGroup, toSecret } from './groups.ts';
import type { RawConfig } from './read.ts';

export function toHttp(read: Read) {
  return {
    host: read('host'),
    port: read('port'),
    publicUrl: read('publicUrl')?.replace(/\/+$/, ''),
    trustedProxies: read('trustedProxies'),
    requestTimeoutSeconds: read('requestTimeoutSeconds'),
    stallTimeoutSeconds: read('stallTimeoutSeconds'),
    downloadMinBytesPerSecond: read('downloadMinBytesPerSecond'),
    uploads: {
      minBytesPerSecond: read('uploadMinBytesPerSecond'),
      mostPerAccount: read('uploadsPerAccount'),
      mostPerAddress: read('uploadsPerAddress'),
    },
    shutdownGraceSeconds: read('shutdownGraceSeconds'),
    managementToken: toSecret(read('managementToken')),
    openMetrics: read('openMetrics'),
  };
}

export function toRates(raw: RawConfig): Record<RateClass, number> {
  const { publicProof, ...rates } = toGroup(raw, 'rate');
  return { ...rates, 'public-proof': publicProof };
}

/** Any tracing setting turns tracing on, unless otelEnabled is false. */
export function toTracing(raw: RawConfig, read: Read): TracingOptions {
  const isSet = (['otelEndpoint', 'otelProtocol', 'otelSampler', 'otelSamplerRatio'] as const).some(
    name => raw.sources.get(name) !== 'default',
  );
  if (!(read('otelEnabled') ?? isSet)) return { kind: 'off' };
  return {
    kind: 'otlp',
    endpoint: read('otelEndpoint') ?? 'http://localhost:4317',
    protocol: read('otelProtocol'),
    sampler: read('otelSampler'),
    ratio: read('otelSamplerRatio'),
  };
}
