// Flags of the rotation policy: values that are not named stay as they were, or as the server's default.
import type { Interfaces } from '@oclif/core';
import { integer, string } from '@oclif/core/flags';
import type { Client } from '@recordproof/shared/api/client.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  getKeyRotationPolicy,
  type KeyRotationPolicy,
  longestSeconds,
  putKeyRotationPolicy,
} from '@recordproof/shared/api/key-rotation.ts';
import { CommandError } from '../platform/command-error.ts';

export const requestFlag = string({
  helpValue: '<id>',
  summary: 'Name of the request: sent again it answers the same run.',
});

const number = (summary: string, min: number, max?: number) =>
  integer({ helpValue: '<n>', min, ...(max !== undefined && { max }), summary });
const seconds = (summary: string, min: number, max: number) => integer({ helpValue: '<seconds>', min, max, summary });

export const policyFlags = {
  provider: string({ helpValue: '<name>', summary: 'What wraps: local, vault-transit, …' }),
  contract: number('Contract of the provider; 1 at first.', 1),
  'key-version': string({ helpValue: '<version>', summary: 'Version of its key.' }),
  'logical-version': number('Number that envelopes under this key carry; 1 at first.', 1),
  'batch-size': number('Envelopes in one step, 1 to 500.', 1, 500),
  'per-minute': number('Envelopes a minute at most, 1 to 60000.', 1, 60_000),
  attempts: number('Tries of each envelope, 1 to 20.', 1, 20),
  backoff: seconds('Pause after the first failure; doubles with each.', 1, 86_400),
  'max-backoff': seconds('Longest pause.', 1, 86_400),
  lease: seconds('After how long another server takes over.', 10, 3600),
  schedule: string({ helpValue: '<seconds>|off', summary: 'Begin a run by itself, again and again.' }),
  grace: seconds('How long the old key is kept after a run.', 0, longestSeconds),
};

type PolicyFlags = Interfaces.InferredFlags<typeof policyFlags>;

type PolicyBody = BodyInput<typeof putKeyRotationPolicy>;

const findPolicy = (client: Client): Promise<KeyRotationPolicy | null> =>
  client.call(getKeyRotationPolicy).catch(error => {
    if (error instanceof ApiError && error.kind === 'RESULT_DATA_NONE') return null;
    throw error;
  });

export async function readPolicy(client: Client): Promise<KeyRotationPolicy> {
  const policy = await findPolicy(client);
  if (policy === null)
    throw new CommandError('refused', 'there is no policy yet', {
      try: 'recordproof admin key-rotation policy --provider local --key-version <version>',
    });
  return policy;
}

/** Null where no flag asks for a change. */
export async function changePolicy(client: Client, flags: PolicyFlags): Promise<KeyRotationPolicy | null> {
  if (Object.keys(policyFlags).every(name => flags[name as keyof PolicyFlags] === undefined)) return null;
  return client.call(putKeyRotationPolicy, { body: toBody(flags, await findPolicy(client)) });
}

function toBody(flags: PolicyFlags, now: KeyRotationPolicy | null): PolicyBody {
  const provider = flags.provider ?? now?.provider;
  const keyVersion = flags['key-version'] ?? now?.providerKeyVersion;
  if (provider === undefined || keyVersion === undefined)
    throw new CommandError('usage', 'the first policy needs --provider and --key-version', {
      try: 'recordproof-server keys list shows the versions of provider local',
    });
  return {
    expectedProvider: provider,
    expectedProviderContract: flags.contract ?? now?.providerContract ?? 1,
    expectedProviderKeyVersion: keyVersion,
    targetLogicalKeyVersion: flags['logical-version'] ?? now?.targetLogicalKeyVersion ?? 1,
    batchSize: flags['batch-size'] ?? now?.batchSize,
    maxItemsPerMinute: flags['per-minute'] ?? now?.maxItemsPerMinute,
    maxAttempts: flags.attempts ?? now?.maxAttempts,
    initialBackoffSeconds: flags.backoff ?? now?.initialBackoffSeconds,
    maxBackoffSeconds: flags['max-backoff'] ?? now?.maxBackoffSeconds,
    leaseSeconds: flags.lease ?? now?.leaseSeconds,
    gracePeriodSeconds: flags.grace ?? now?.gracePeriodSeconds,
    ...toSchedule(flags.schedule, now),
  };
}

function toSchedule(input: string | undefined, now: KeyRotationPolicy | null) {
  if (input === undefined)
    return {
      scheduleEnabled: now?.scheduleEnabled ?? false,
      scheduleIntervalSeconds: now?.scheduleIntervalSeconds ?? null,
    };
  if (input === 'off') return { scheduleEnabled: false, scheduleIntervalSeconds: null };
  const interval = /^[0-9]{1,9}$/.test(input) ? Number(input) : 0;
  if (interval < 60 || interval > longestSeconds)
    throw new CommandError(
      'usage',
      `--schedule takes 60 to ${longestSeconds.toLocaleString('en')} seconds, or off, not "${input}"`,
    );
  return { scheduleEnabled: true, scheduleIntervalSeconds: interval };
}
