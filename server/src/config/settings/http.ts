// Settings of the start, of addresses and of rate limits.
import {
  bytes,
  listOf,
  oneOf,
  rate,
  seconds,
  settingsOf,
  text,
  textThat,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { rejectHost, rejectNetwork, webAddress } from '../validation.ts';

const limits = settingsOf('limits');
const start = settingsOf('start');
const http = settingsOf('http');

const rejectShortToken = (token: string) => (token.length < 16 ? 'must have at least 16 characters' : null);

/** A rate limit; the laptop profile multiplies it by 100. */
const rateLimit = (name: string, perMinute: number, help: string) =>
  limits(`rate-limit-${name}`, rate(perMinute), `rate limit of ${help}, per minute`, {
    laptop: perMinute * 100,
  });

export const httpSettings = {
  profile: start(
    'profile',
    oneOf('server', 'laptop').default('server'),
    'set of defaults: server, or laptop, which issues proofs within seconds',
    { flag: 'profile' },
  ),
  data: start(
    'data',
    text.default('./recordproof-data'),
    'folder that holds keys, mail and, by default, database and files',
    { flag: 'data' },
  ),
  host: http('host', textThat(rejectHost).default('127.0.0.1'), 'address to listen on', { flag: 'host' }),
  port: http('port', wholeNumber(0, 65_535).default(8080), 'port to listen on; 0 picks a free one', {
    flag: 'port',
  }),
  publicUrl: http('public-url', webAddress.optional(), 'address under which users reach this server'),
  trustedProxies: http(
    'trusted-proxies',
    listOf(rejectNetwork).default([]),
    'reverse proxies (addresses or networks) whose X-Forwarded-For header is trusted',
  ),
  requestTimeoutSeconds: http('request-timeout-seconds', seconds(30, 1, 3600), 'timeout of a request without a file'),
  stallTimeoutSeconds: http(
    'stall-timeout-seconds',
    seconds(120, 1, 3600),
    'idle timeout of a file transfer, after which its connection is closed',
  ),
  downloadMinBytesPerSecond: http(
    'download-min-bytes-per-second',
    bytes(0, 2 ** 30).default(4096),
    'minimum rate of a download, measured over stall-timeout-seconds; 0: no minimum',
  ),
  uploadMinBytesPerSecond: http(
    'upload-min-bytes-per-second',
    bytes(0, 2 ** 30).default(1024),
    'minimum rate of an upload; 0: no minimum',
  ),
  uploadsPerAccount: http(
    'uploads-at-once-per-account',
    wholeNumber(1, 100_000).default(64),
    'maximum number of concurrent upload requests per account',
  ),
  uploadsPerAddress: http(
    'uploads-at-once-per-address',
    wholeNumber(1, 100_000).default(256),
    'maximum number of concurrent upload requests per client address',
  ),
  shutdownGraceSeconds: http(
    'shutdown-grace-seconds',
    seconds(8, 0, 3600),
    'shutdown timeout: running requests and jobs may finish within it',
  ),
  managementToken: http(
    'management-token',
    textThat(rejectShortToken).optional(),
    'bearer token for health details and metrics',
    { secret: true },
  ),
  openMetrics: http('open-metrics', yesOrNo.default(false), 'serve /actuator/prometheus without a token'),

  eventsMaxStreams: limits(
    'events.max-streams',
    wholeNumber(0, 1_000_000).default(10_000),
    'maximum number of open event streams per server; each uses a file handle',
  ),

  rateAuth: limits(
    'rate-limit-auth',
    rate(10),
    'rate limit of sign-ins, registrations and password resets, per minute',
  ),
  rateUpload: rateLimit('upload', 20, 'started uploads'),
  rateDownload: rateLimit('download', 100, 'downloads'),
  rateChunk: rateLimit('chunk', 6000, 'chunks and other calls of running uploads'),
  rateShare: rateLimit('share', 600, 'calls with a share link, per client address'),
  ratePublicProof: rateLimit('public-proof', 120, 'public proof look-ups, per client address'),
  rateLedger: rateLimit('ledger', 1200, 'ledger tiles and checkpoints, per client address'),
  rateProbe: rateLimit('probe', 6000, 'health checks and metric scrapes, per client address'),
  rateOther: rateLimit('other', 60, 'all other calls'),
};
