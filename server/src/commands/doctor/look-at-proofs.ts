// Whether stored files get proofs.
import type { Config } from '../../config/config.ts';
import { settings } from '../../config/settings.ts';
import { type Finding, ok, warning } from './finding.ts';

export function lookAtProofs({ attestation }: Pick<Config, 'attestation'>): Finding[] {
  const { enabled, minBatchSize, maxWaitSeconds } = attestation;
  if (enabled) return [ok('proofs', `on: a batch for ${minBatchSize} files, or after ${maxWaitSeconds} s`)];
  const { key, env } = settings.attestationEnabled;
  return [
    warning(
      'proofs',
      'off: no file that is stored gets a proof',
      `Set ${key} to true, or ${env}=true in the environment.`,
    ),
  ];
}
