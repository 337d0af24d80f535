// Settings of logs and traces, and the limits of health.
import { logLevels, oneOf, settingsOf, share, wholeNumber, yesOrNo } from '@recordproof/shared/settings/setting.ts';
import { samplerNames } from '../../platform/telemetry/tracing.ts';
import { webAddress } from '../validation.ts';

const telemetry = settingsOf('telemetry');
const health = settingsOf('health');

export const operationSettings = {
  logLevel: telemetry('log-level', oneOf(...logLevels).default('info'), 'minimum level of log entries', {
    flag: 'log-level',
  }),
  otelEndpoint: telemetry(
    'otel-endpoint',
    webAddress.optional(),
    'address of the OpenTelemetry collector; absent: http://localhost:4317, if traces are enabled',
    { env: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  ),
  otelEnabled: telemetry(
    'otel-enabled',
    yesOrNo.optional(),
    'send traces; absent: they are sent if any other otel setting is set',
  ),
  otelProtocol: telemetry(
    'otel-protocol',
    oneOf('grpc', 'http/protobuf').default('grpc'),
    'protocol for sending traces',
    { env: 'OTEL_EXPORTER_OTLP_PROTOCOL' },
  ),
  otelSampler: telemetry(
    'otel-sampler',
    oneOf(...samplerNames).default('parentbased_traceidratio'),
    'sampler of traces',
    { env: 'OTEL_TRACES_SAMPLER' },
  ),
  otelSamplerRatio: telemetry('otel-sampler-ratio', share.default(0.1), 'share of traces that are sampled', {
    env: 'OTEL_TRACES_SAMPLER_ARG',
  }),

  healthBackupMaxAgeHours: health(
    'health.backup.max-age-hours',
    wholeNumber(0, 87_600).default(168),
    'age of the newest backup above which health is DEGRADED; 0: backups are not monitored',
    { laptop: 0 },
  ),
  healthMail: health(
    'health.mail',
    yesOrNo.default(true),
    'mail administrators when the state of a health component changes or damage is found',
  ),
  healthOutboxPendingDegraded: health(
    'health.outbox.pending-degraded',
    wholeNumber(0, 1e9).default(500),
    'pending outbox events above which health is DEGRADED',
  ),
  healthOutboxFailedDown: health(
    'health.outbox.failed-down',
    wholeNumber(0, 1e9).default(20),
    'dead outbox events above which health is DOWN',
  ),
  healthSagaRunningDegraded: health(
    'health.saga.running-degraded',
    wholeNumber(0, 1e9).default(100),
    'running sagas above which health is DEGRADED',
  ),
  healthSagaFailedDown: health(
    'health.saga.failed-down',
    wholeNumber(0, 1e9).default(10),
    'failed sagas above which health is DOWN',
  ),
  healthSagaCompensationDegraded: health(
    'health.saga.compensation-degraded',
    wholeNumber(0, 1e9).default(50),
    'sagas waiting for compensation above which health is DEGRADED',
  ),
};
