// Settings of the chain that anchors proofs, and of proofs.
import {
  listOf,
  matching,
  milliseconds,
  oneOf,
  seconds,
  settingsOf,
  wholeNumber,
  yesOrNo,
} from '@recordproof/shared/settings/setting.ts';
import { rejectAuthority, rejectCredentials } from '../stamp-sources.ts';
import { rejectWebAddress, webAddress } from '../validation.ts';
import { mostWitnessKeys, rejectPeer, rejectWitness } from '../witnesses.ts';

const chain = settingsOf('chain');
const ledger = settingsOf('chain', 'RECORDPROOF_');
const attestation = settingsOf('attestation');

const rejectCalendar = (text: string): string | null => {
  const why = rejectWebAddress(text);
  return why === null ? null : `must list addresses, and each ${why}`;
};

export const evidenceSettings = {
  chainRpcUrl: chain(
    'chain-rpc-url',
    webAddress.optional(),
    'JSON-RPC address of an EVM node for batch roots; absent: they go to the embedded ledger',
    { secret: true },
  ),
  chainContract: chain(
    'chain-contract',
    matching(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits').optional(),
    'address of the anchor contract; "recordproof-server chain deploy" deploys one',
  ),
  chainSenderKey: chain(
    'chain-sender-key',
    matching(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits').optional(),
    'private key of the account that deployed the contract and pays for transactions',
    { secret: true },
  ),
  chainConfirmations: chain(
    'chain.confirmations',
    wholeNumber(0, 10_000).default(12),
    'confirmations (blocks) before a batch root or file record is final',
  ),
  chainFileRecords: chain(
    'chain.file-records',
    oneOf('ledger', 'chain').default('ledger'),
    'where files are recorded: on the embedded ledger, or on the EVM chain with a transaction for each',
  ),
  chainTimeoutSeconds: chain(
    'chain.timeout-seconds',
    seconds(60, 1, 3600),
    'timeout of the transaction of a batch root, after which it is retried later',
  ),
  ledgerName: chain(
    'ledger-name',
    matching(/^[^\s+\p{Cc}]{1,255}$/u, 'must be one word without "+"').optional(),
    'name (origin) of the embedded ledger in its checkpoints, best host/path of this server; fixed at the first start',
  ),
  ledgerWitnesses: ledger(
    'ledger.witnesses',
    listOf(rejectWitness).default([]),
    'witnesses that are asked to cosign each checkpoint: <submission address> <verifier key>, separated by commas',
  ),
  ledgerWitnessPeers: ledger(
    'ledger.witness-peers',
    listOf(rejectPeer).default([]),
    'other RecordProof servers; each cosigns the checkpoints of the other: <address> <verifier key of its ledger>',
  ),
  ledgerWitnessQuorum: ledger(
    'ledger.witness-quorum',
    wholeNumber(0, mostWitnessKeys).optional(),
    'quorum: number of witnesses and peers that must cosign a checkpoint; absent: more than half of them',
  ),
  ledgerStampAuthorities: ledger(
    'ledger.stamp-authorities',
    listOf(rejectAuthority).default([]),
    'time stamp authorities (RFC 3161) for checkpoints, in order of failover: <address> [policy=<OID>] roots=<PEM file>',
  ),
  ledgerStampCredentials: ledger(
    'ledger.stamp-credentials',
    listOf(rejectCredentials).default([]),
    'credentials for time stamp authorities: <address> <user>:<password>, percent-encoded, separated by commas',
    { secret: true },
  ),
  ledgerStampPause: ledger(
    'ledger.stamp-pause-seconds',
    seconds(60, 1, 86_400),
    'minimum interval between two time stamps',
  ),
  ledgerCalendars: ledger(
    'ledger.calendars',
    listOf(rejectCalendar).default([]),
    'OpenTimestamps calendars that are sent the roots of checkpoints: their addresses, separated by commas',
  ),
  ledgerCalendarPause: ledger(
    'ledger.calendar-pause-seconds',
    seconds(3600, 1, 86_400),
    'minimum interval between two roots that are sent to the calendars',
  ),
  ledgerPostQuantum: ledger(
    'ledger.post-quantum',
    yesOrNo.default(false),
    'also sign checkpoints with ML-DSA-44, with a key derived from the key of the ledger',
  ),
  attestationEnabled: attestation(
    'attestation.production.enabled',
    yesOrNo.default(false),
    'collect stored files into batches and anchor them',
    { laptop: true },
  ),
  attestationPollMs: attestation(
    'attestation.production.poll-interval-ms',
    milliseconds(30_000, 1000, 3_600_000),
    'poll interval for files that have waited max-wait-seconds; min-batch-size files start a batch at once',
  ),
  attestationInitialDelayMs: attestation(
    'attestation.production.initial-delay-ms',
    milliseconds(30_000, 0, 3_600_000),
    'delay between the start of the server and the first poll',
  ),
  attestationMinBatchSize: attestation(
    'attestation.production.min-batch-size',
    wholeNumber(1, 10_000).default(50),
    'number of waiting files that starts a batch at once',
    { laptop: 1 },
  ),
  attestationMaxBatchSize: attestation(
    'attestation.production.max-batch-size',
    wholeNumber(1, 10_000).default(100),
    'maximum number of files per batch',
  ),
  attestationMaxWaitSeconds: attestation(
    'attestation.production.max-wait-seconds',
    seconds(600, 0, 604_800),
    'maximum time that a file waits for a batch',
    { laptop: 5 },
  ),
  attestationSeedLimit: attestation(
    'attestation.production.seed-limit',
    wholeNumber(0, 100_000).default(200),
    'maximum number of files without a candidate that are added per tenant and run',
  ),
  attestationMaxBatchesPerRun: attestation(
    'attestation.production.max-batches-per-run',
    wholeNumber(1, 1000).default(2),
    'maximum number of new batches per tenant and run',
  ),
  attestationClaimLeaseSeconds: attestation(
    'attestation.production.claim-lease-seconds',
    seconds(120, 5, 3600),
    'lease of claimed candidates: after it another server may claim them',
  ),
  attestationCandidateMaxAttempts: attestation(
    'attestation.production.candidate-max-attempts',
    wholeNumber(1, 100).default(3),
    'maximum attempts before a candidate becomes a dead letter',
  ),
};
