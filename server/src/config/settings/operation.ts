// Settings of logs and traces, and the limits of health.
import { define, logLevels, oneOf, share, wholeNumber, yesOrNo } from '@recordproof/shared/settings/setting.ts';
import { samplerNames } from '../../platform/telemetry/tracing-types.ts';
import { webAddress } from '../addresses.ts';

export const operationSettings = {
  logLevel: define('telemetry', 'log-level', oneOf(...logLevels).default('info'), 'least level that is logged', {
    flag: 'log-level',
  }),
  otelEndpoint: define(
    'telemetry',
    'otel-endpoint',
    webAddress.optional(),
    'OpenTelemetry collector; absent: http://localhost:4317, once traces are sent',
    { env: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  ),
  otelEnabled: define(
    'telemetry',
    'otel-enabled',
    yesOrNo.optional(),
    'whether traces are sent; absent: they are where anything is said about them',
  ),
  otelProtocol: define(
    'telemetry',
    'otel-protocol',
    oneOf('grpc', 'http/protobuf').default('grpc'),
    'how traces travel',
    { env: 'OTEL_EXPORTER_OTLP_PROTOCOL' },
  ),
  otelSampler: define(
    'telemetry',
    'otel-sampler',
    oneOf(...samplerNames).default('parentbased_traceidratio'),
    'which traces are kept',
    { env: 'OTEL_TRACES_SAMPLER' },
  ),
  otelSamplerRatio: define('telemetry', 'otel-sampler-ratio', share.default(0.1), 'share of traces that are kept', {
    env: 'OTEL_TRACES_SAMPLER_ARG',
  }),

  backupMaxAgeHours: define(
    'health',
    'health.backup.max-age-hours',
    wholeNumber(0, 87_600).default(168),
    'age of the newest backup above which health is DEGRADED; 0: backups are not watched',
    { laptop: 0 },
  ),
  healthMail: define(
    'health',
    'health.mail',
    yesOrNo.default(true),
    'mail to administrators when a part of health changes or damage is found',
  ),
  outboxPendingDegraded: define(
    'health',
    'health.outbox.pending-degraded',
    wholeNumber(0, 1e9).default(500),
    'waiting events above which health is DEGRADED',
  ),
  outboxFailedDown: define(
    'health',
    'health.outbox.failed-down',
    wholeNumber(0, 1e9).default(20),
    'exhausted events above which health is DOWN',
  ),
  sagaRunningDegraded: define(
    'health',
    'health.saga.running-degraded',
    wholeNumber(0, 1e9).default(100),
    'running sagas above which health is DEGRADED',
  ),
  sagaFailedDown: define(
    'health',
    'health.saga.failed-down',
    wholeNumber(0, 1e9).default(10),
    'failed sagas above which health is DOWN',
  ),
  sagaCompensationDegraded: define(
    'health',
    'health.saga.compensation-degraded',
    wholeNumber(0, 1e9).default(50),
    'sagas waiting for compensation above which health is DEGRADED',
  ),
};
