// Settings of the chain that anchors proofs, and of proofs.
import {
  define,
  listOf,
  milliseconds,
  oneOf,
  seconds,
  textThat,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { rejectWebAddress, webAddress } from '../addresses.ts';
import { rejectAuthority, rejectCredentials } from '../stamp-sources.ts';
import { mostWitnessKeys, rejectPeer, rejectWitness } from '../witnesses.ts';

const matching = (form: RegExp, why: string) => textThat(value => (form.test(value) ? null : why));

const rejectCalendar = (text: string): string | null => {
  const why = rejectWebAddress(text);
  return why === null ? null : `must list addresses, and each ${why}`;
};

export const evidenceSettings = {
  chainRpcUrl: define(
    'chain',
    'chain-rpc-url',
    webAddress.optional(),
    'JSON-RPC address of an EVM node for batch roots; absent: they go to the embedded ledger',
    { secret: true },
  ),
  chainContract: define(
    'chain',
    'chain-contract',
    matching(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits').optional(),
    'address of the anchor contract; "recordproof-server chain deploy" deploys one',
  ),
  chainSenderKey: define(
    'chain',
    'chain-sender-key',
    matching(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits').optional(),
    'private key of the account that deployed the contract and pays for transactions',
    { secret: true },
  ),
  chainConfirmations: define(
    'chain',
    'chain.confirmations',
    wholeNumber(0, 10_000).default(12),
    'confirmations (blocks) before a batch root or file record is final',
  ),
  chainFileRecords: define(
    'chain',
    'chain.file-records',
    oneOf('ledger', 'chain').default('ledger'),
    'where files are recorded: on the embedded ledger, or on the EVM chain with a transaction for each',
  ),
  chainTimeoutSeconds: define(
    'chain',
    'chain.timeout-seconds',
    seconds(60, 1, 3600),
    'timeout of the transaction of a batch root, after which it is retried later',
  ),
  ledgerName: define(
    'chain',
    'ledger-name',
    matching(/^[^\s+\p{Cc}]{1,255}$/u, 'must be one word without "+"').optional(),
    'name (origin) of the embedded ledger in its checkpoints, best host/path of this server; fixed at the first start',
  ),
  ledgerWitnesses: define(
    'chain',
    'ledger.witnesses',
    listOf(rejectWitness).default([]),
    'witnesses that are asked to cosign each checkpoint: <submission address> <verifier key>, separated by commas',
    { env: 'RECORDPROOF_LEDGER_WITNESSES' },
  ),
  ledgerWitnessPeers: define(
    'chain',
    'ledger.witness-peers',
    listOf(rejectPeer).default([]),
    'other RecordProof servers; each cosigns the checkpoints of the other: <address> <verifier key of its ledger>',
    { env: 'RECORDPROOF_LEDGER_WITNESS_PEERS' },
  ),
  ledgerWitnessQuorum: define(
    'chain',
    'ledger.witness-quorum',
    wholeNumber(0, mostWitnessKeys).optional(),
    'quorum: number of witnesses and peers that must cosign a checkpoint; absent: more than half of them',
    { env: 'RECORDPROOF_LEDGER_WITNESS_QUORUM' },
  ),
  ledgerStampAuthorities: define(
    'chain',
    'ledger.stamp-authorities',
    listOf(rejectAuthority).default([]),
    'time stamp authorities (RFC 3161) for checkpoints, in order of failover: <address> [policy=<OID>] roots=<PEM file>',
    { env: 'RECORDPROOF_LEDGER_STAMP_AUTHORITIES' },
  ),
  ledgerStampCredentials: define(
    'chain',
    'ledger.stamp-credentials',
    listOf(rejectCredentials).default([]),
    'credentials for time stamp authorities: <address> <user>:<password>, percent-encoded, separated by commas',
    { env: 'RECORDPROOF_LEDGER_STAMP_CREDENTIALS', secret: true },
  ),
  ledgerStampPause: define(
    'chain',
    'ledger.stamp-pause-seconds',
    seconds(60, 1, 86_400),
    'minimum interval between two time stamps',
    { env: 'RECORDPROOF_LEDGER_STAMP_PAUSE_SECONDS' },
  ),
  ledgerCalendars: define(
    'chain',
    'ledger.calendars',
    listOf(rejectCalendar).default([]),
    'OpenTimestamps calendars that are sent the roots of checkpoints: their addresses, separated by commas',
    { env: 'RECORDPROOF_LEDGER_CALENDARS' },
  ),
  ledgerCalendarPause: define(
    'chain',
    'ledger.calendar-pause-seconds',
    seconds(3600, 1, 86_400),
    'minimum interval between two roots that are sent to the calendars',
    { env: 'RECORDPROOF_LEDGER_CALENDAR_PAUSE_SECONDS' },
  ),
  ledgerPostQuantum: define(
    'chain',
    'ledger.post-quantum',
    yesOrNo.default(false),
    'also sign checkpoints with ML-DSA-44, with a key derived from the key of the ledger',
    { env: 'RECORDPROOF_LEDGER_POST_QUANTUM' },
  ),
  attestationEnabled: define(
    'attestation',
    'attestation.production.enabled',
    yesOrNo.default(false),
    'collect stored files into batches and anchor them',
    { laptop: true },
  ),
  attestationPollMs: define(
    'attestation',
    'attestation.production.poll-interval-ms',
    milliseconds(30_000, 1000, 3_600_000),
    'poll interval for files that have waited max-wait-seconds; min-batch-size files start a batch at once',
  ),
  attestationInitialDelayMs: define(
    'attestation',
    'attestation.production.initial-delay-ms',
    milliseconds(30_000, 0, 3_600_000),
    'delay between the start of the server and the first poll',
  ),
  attestationMinBatch: define(
    'attestation',
    'attestation.production.min-batch-size',
    wholeNumber(1, 10_000).default(50),
    'number of waiting files that starts a batch at once',
    { laptop: 1 },
  ),
  attestationMaxBatch: define(
    'attestation',
    'attestation.production.max-batch-size',
    wholeNumber(1, 10_000).default(100),
    'maximum number of files per batch',
  ),
  attestationMaxWaitSeconds: define(
    'attestation',
    'attestation.production.max-wait-seconds',
    seconds(600, 0, 604_800),
    'maximum time that a file waits for a batch',
    { laptop: 5 },
  ),
  attestationSeedLimit: define(
    'attestation',
    'attestation.production.seed-limit',
    wholeNumber(0, 100_000).default(200),
    'maximum number of files without a candidate that are added per tenant and run',
  ),
  attestationMaxBatches: define(
    'attestation',
    'attestation.production.max-batches-per-run',
    wholeNumber(1, 1000).default(2),
    'maximum number of new batches per tenant and run',
  ),
  attestationLeaseSeconds: define(
    'attestation',
    'attestation.production.claim-lease-seconds',
    seconds(120, 5, 3600),
    'lease of claimed candidates: after it another server may claim them',
  ),
  attestationMaxAttempts: define(
    'attestation',
    'attestation.production.candidate-max-attempts',
    wholeNumber(1, 100).default(3),
    'maximum attempts before a candidate becomes a dead letter',
  ),
};
