// Configuration of chain, ledger, attestation and integrity checks.
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { Secret } from '../platform/secret.ts';
import { type Read, toGroup, together } from './groups.ts';
import type { RawConfig } from './read.ts';
import { settings } from './settings.ts';
import { toStampSources } from './stamp-sources.ts';
import { toWitnesses } from './witnesses.ts';

/** Where batch roots are anchored, and with `fileRecords` also file records. */
type ChainConfig =
  | { kind: 'ledger' }
  | {
      kind: 'evm';
      rpcUrl: Secret;
      contract: string;
      senderKey: Secret;
      confirmations: number;
      timeoutSeconds: number;
      fileRecords: 'ledger' | 'chain';
    };

export function toChain(raw: RawConfig, read: Read): ChainConfig {
  const fileRecords = read('chainFileRecords');
  if (!together(raw, 'the EVM chain', 'chainRpcUrl', 'chainContract', 'chainSenderKey')) {
    if (fileRecords === 'ledger') return { kind: 'ledger' };
    const { chainFileRecords, chainRpcUrl } = settings;
    throw new ConfigError(`${chainFileRecords.key} is "chain", but no EVM chain is configured (${chainRpcUrl.env}).`);
  }
  return {
    kind: 'evm',
    rpcUrl: new Secret(read('chainRpcUrl') ?? ''),
    contract: (read('chainContract') ?? '').toLowerCase(),
    senderKey: new Secret(read('chainSenderKey') ?? ''),
    confirmations: read('chainConfirmations'),
    timeoutSeconds: read('chainTimeoutSeconds'),
    fileRecords,
  };
}

export const toLedger = (read: Read) => ({
  name: read('ledgerName'),
  ...toWitnesses({
    witnesses: read('ledgerWitnesses'),
    peers: read('ledgerWitnessPeers'),
    quorum: read('ledgerWitnessQuorum'),
    isPostQuantum: read('ledgerPostQuantum'),
  }),
  ...toStampSources({
    authorities: read('ledgerStampAuthorities'),
    credentials: read('ledgerStampCredentials'),
    calendars: read('ledgerCalendars'),
  }),
  stampPauseSeconds: read('ledgerStampPause'),
  calendarPauseSeconds: read('ledgerCalendarPause'),
  isPostQuantum: read('ledgerPostQuantum'),
});

export function toAttestation(read: Read) {
  const limits = { minBatchSize: read('attestationMinBatch'), maxBatchSize: read('attestationMaxBatch') };
  if (limits.minBatchSize > limits.maxBatchSize) {
    const { attestationMinBatch: min, attestationMaxBatch: max } = settings;
    throw new ConfigError(`${min.key} (${limits.minBatchSize}) is greater than ${max.key} (${limits.maxBatchSize}).`);
  }
  return {
    ...limits,
    enabled: read('attestationEnabled'),
    pollMs: read('attestationPollMs'),
    initialDelayMs: read('attestationInitialDelayMs'),
    maxWaitSeconds: read('attestationMaxWaitSeconds'),
    seedLimit: read('attestationSeedLimit'),
    maxBatchesPerRun: read('attestationMaxBatches'),
    claimLeaseSeconds: read('attestationLeaseSeconds'),
    candidateMaxAttempts: read('attestationMaxAttempts'),
  };
}

export function toIntegrity(raw: RawConfig, read: Read) {
  const odds = { medium: read('integrityMediumOdds'), heavy: read('integrityHeavyOdds') };
  if (odds.medium + odds.heavy > 1) {
    const { integrityMediumOdds: medium, integrityHeavyOdds: heavy } = settings;
    throw new ConfigError(`${medium.key} (${odds.medium}) and ${heavy.key} (${odds.heavy}) are more than 1 together.`);
  }
  return {
    enabled: read('integrityEnabled'),
    cron: read('integrityCron'),
    sampleRate: read('integritySampleRate'),
    batchSize: read('integrityBatchSize'),
    lockTimeoutSeconds: read('integrityLockTimeoutSeconds'),
    odds,
    sampleChunks: read('integritySampleChunks'),
    maxDownloadBytes: read('integrityMaxDownloadBytes'),
    scrub: toGroup(raw, 'scrub'),
  };
}
