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

export function toAttestation(raw: RawConfig) {
  const attestation = toGroup(raw, 'attestation');
  const { minBatchSize, maxBatchSize } = attestation;
  if (minBatchSize > maxBatchSize) {
    const { attestationMinBatchSize: min, attestationMaxBatchSize: max } = settings;
    throw new ConfigError(`${min.key} (${minBatchSize}) is greater than ${max.key} (${maxBatchSize}).`);
  }
  return attestation;
}

export function toIntegrity(raw: RawConfig) {
  const { mediumOdds: medium, heavyOdds: heavy, ...integrity } = toGroup(raw, 'integrity');
  if (medium + heavy > 1) {
    const { integrityMediumOdds, integrityHeavyOdds } = settings;
    throw new ConfigError(
      `${integrityMediumOdds.key} (${medium}) and ${integrityHeavyOdds.key} (${heavy}) are more than 1 together.`,
    );
  }
  return { ...integrity, odds: { medium, heavy }, scrub: toGroup(raw, 'scrub') };
}
