// Configuration of HTTP, rate limits, health limits and tracing.
import type { RateClass } from '@recordproof/shared/api/endpoint.ts';
import type { TracingOptions } from '../platform/telemetry/tracing-types.ts';
import { type Read, toSecret } from './groups.ts';
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

export const toRates = (read: Read): Record<RateClass, number> => ({
  auth: read('rateAuth'),
  upload: read('rateUpload'),
  download: read('rateDownload'),
  chunk: read('rateChunk'),
  share: read('rateShare'),
  'public-proof': read('ratePublicProof'),
  ledger: read('rateLedger'),
  probe: read('rateProbe'),
  other: read('rateOther'),
});

export const toHealthLimits = (read: Read) => ({
  backupMaxAgeHours: read('backupMaxAgeHours'),
  mail: read('healthMail'),
  outboxPendingDegraded: read('outboxPendingDegraded'),
  outboxFailedDown: read('outboxFailedDown'),
  sagaRunningDegraded: read('sagaRunningDegraded'),
  sagaFailedDown: read('sagaFailedDown'),
  sagaCompensationDegraded: read('sagaCompensationDegraded'),
});

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
