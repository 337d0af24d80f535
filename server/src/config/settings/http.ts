// Settings of the start, of addresses and of rate limits.
import {
  bytes,
  define,
  listOf,
  oneOf,
  rate,
  seconds,
  text,
  textThat,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { rejectHost, rejectNetwork, webAddress } from '../addresses.ts';

const rejectShortToken = (token: string) => (token.length < 16 ? 'must have at least 16 characters' : null);

/** A rate limit; the laptop profile multiplies it by 100. */
const allowance = (name: string, perMinute: number, help: string) =>
  define('limits', `rate-limit-${name}`, rate(perMinute), `${help}, per minute`, { laptop: perMinute * 100 });

export const httpSettings = {
  profile: define(
    'start',
    'profile',
    oneOf('server', 'laptop').default('server'),
    'set of defaults: server, or laptop for proofs within seconds',
    { flag: 'profile' },
  ),
  data: define(
    'start',
    'data',
    text.default('./recordproof-data'),
    'folder that holds keys, mail and, by default, database and files',
    { flag: 'data' },
  ),
  host: define('http', 'host', textThat(rejectHost).default('127.0.0.1'), 'address to listen on', { flag: 'host' }),
  port: define('http', 'port', wholeNumber(0, 65_535).default(8080), 'port to listen on; 0 picks a free one', {
    flag: 'port',
  }),
  publicUrl: define('http', 'public-url', webAddress.optional(), 'address under which users reach this server'),
  trustedProxies: define(
    'http',
    'trusted-proxies',
    listOf(rejectNetwork).default([]),
    'addresses or networks whose X-Forwarded-For is believed',
  ),
  requestTimeoutSeconds: define(
    'http',
    'request-timeout-seconds',
    seconds(30, 1, 3600),
    'longest time a request without a file may take',
  ),
  stallTimeoutSeconds: define(
    'http',
    'stall-timeout-seconds',
    seconds(120, 1, 3600),
    'how long a file on its way may stand still before its client is let go',
  ),
  downloadMinBytesPerSecond: define(
    'http',
    'download-min-bytes-per-second',
    bytes(0, 2 ** 30).default(4096),
    'slowest pace at which a file may be taken, over the stall timeout; 0 takes any that moves',
  ),
  uploadMinBytesPerSecond: define(
    'http',
    'upload-min-bytes-per-second',
    bytes(0, 2 ** 30).default(1024),
    'slowest pace at which an upload may come in; 0 takes any',
  ),
  uploadsPerAccount: define(
    'http',
    'uploads-at-once-per-account',
    wholeNumber(1, 100_000).default(64),
    'bodies of uploads that one account may send at once',
  ),
  uploadsPerAddress: define(
    'http',
    'uploads-at-once-per-address',
    wholeNumber(1, 100_000).default(256),
    'bodies of uploads that may come from one address at once',
  ),
  shutdownGraceSeconds: define(
    'http',
    'shutdown-grace-seconds',
    seconds(8, 0, 3600),
    'how long running requests and jobs may finish at shutdown',
  ),
  managementToken: define(
    'http',
    'management-token',
    textThat(rejectShortToken).optional(),
    'bearer token for health details and metrics',
    { secret: true },
  ),
  openMetrics: define('http', 'open-metrics', yesOrNo.default(false), 'serve /actuator/prometheus without a token'),

  eventsMaxStreams: define(
    'limits',
    'events.max-streams',
    wholeNumber(0, 1_000_000).default(10_000),
    'event streams that one server holds open; each takes a file handle',
  ),

  rateAuth: define('limits', 'rate-limit-auth', rate(10), 'logins, registrations and the like, per minute'),
  rateUpload: allowance('upload', 20, 'uploads begun'),
  rateDownload: allowance('download', 100, 'downloads'),
  rateChunk: allowance('chunk', 6000, 'chunks, and what else goes on with an upload'),
  rateShare: allowance('share', 600, 'calls of those who come with the link of a share, per address'),
  ratePublicProof: allowance('public-proof', 120, 'public proof look-ups per address'),
  rateLedger: allowance('ledger', 1200, 'tiles and checkpoints of the ledger per address'),
  rateProbe: allowance('probe', 6000, 'health checks and metric scrapes per address'),
  rateOther: allowance('other', 60, 'everything else'),
};
