// Commands under `admin crypto`.
import { integer, string } from '@oclif/core/flags';
import {
  type CryptoChoices,
  type CryptoPolicy,
  choiceNames,
  getCryptoDiagnostics,
  getCryptoPolicy,
  putCryptoPolicy,
} from '@recordproof/shared/api/crypto-policy.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { writeMessage } from '../platform/output.ts';
import { changesText, diagnosticsText, policyText, toWords } from './tables.ts';

export const showPolicy = command({
  summary: 'Show the protection of new files of the tenant',
  description: 'Files that are there already stay as they were written. To change it: admin crypto policy set.',
  examples: [{ command: 'admin crypto policy', description: 'Which suites and providers, and since which version?' }],
  run: async ({ context }) => (await context.session()).call(getCryptoPolicy),
  text: policyText,
});

const suite = (summary: string) => string({ helpValue: '<suite>', summary });
const provider = (summary: string) => string({ helpValue: '<name>', summary });
const contract = (summary: string) => integer({ helpValue: '<n>', min: 1, summary });

const choiceFlags = {
  'content-encryption-suite': suite('What files are encrypted with.'),
  'envelope-signature-suite': suite('What signs the envelopes of their keys.'),
  'kem-suite': suite('How keys are agreed upon.'),
  'proof-suite': suite('What batches are hashed with.'),
  'wrapping-provider': provider('The provider that wraps file keys.'),
  'wrapping-provider-contract': contract('Its contract.'),
  'signed-proof-signature-suite': suite('What proofs are signed with.'),
  'signed-proof-suite': suite('The form of their archives.'),
  'signing-provider': provider('The provider that signs proofs.'),
  'signing-provider-contract': contract('Its contract.'),
};

/** Whether the policy would change. */
type Answer = CryptoPolicy & { readonly changed: boolean };

export const setPolicy = command({
  summary: 'Change the protection of new files of the tenant',
  description:
    'What is not named stays. Nothing that is there already is written anew: to move keys under another provider, rotate them afterwards.',
  examples: [
    { command: 'admin crypto policy set --wrapping-provider vault-transit', description: 'Asks before it does' },
    {
      command: 'admin crypto policy set --wrapping-provider local --expected-version 3 --yes',
      description: 'For scripts: only if it was not changed since version 3',
    },
  ],
  flags: {
    ...choiceFlags,
    'expected-version': integer({ helpValue: '<n>', min: 0, summary: 'The version that is to be changed.' }),
    yes: yesFlag,
  },
  async run({ flags, context }): Promise<Answer> {
    const named: Readonly<Record<string, unknown>> = flags;
    const chosen = choiceNames.filter(name => named[toWords(name)] !== undefined);
    if (chosen.length === 0)
      throw new CommandError('usage', 'no setting was given', {
        try: 'recordproof admin crypto policy set --help',
      });
    const client = await context.session();
    const current = await client.call(getCryptoPolicy);
    const { policyVersion, policyFingerprint: _old, ...choices } = current;
    const newPolicy = {
      ...choices,
      ...Object.fromEntries(chosen.map(name => [name, named[toWords(name)]])),
    } as CryptoChoices;
    const expectedVersion = flags['expected-version'] ?? policyVersion;
    const changed = chosen.filter(name => newPolicy[name] !== choices[name]);
    if (changed.length === 0 && expectedVersion === policyVersion) return { ...current, changed: false };
    if (!flags.yes) {
      writeMessage(changesText(choices, newPolicy, changed));
      await confirm(context, `Change version ${policyVersion} of the policy?`, 'nothing was changed');
    }
    return { ...(await client.call(putCryptoPolicy, { body: { ...newPolicy, expectedVersion } })), changed: true };
  },
  text: result => policyText(result),
  note: ({ policyVersion, changed }) =>
    changed ? `the policy is now version ${policyVersion}` : 'the policy says so already; nothing was changed',
});

export const diagnostics = command({
  summary: 'Show every suite and provider: abilities, end dates, and whether it answers',
  examples: [
    { command: 'admin crypto diagnostics', description: 'Suites and providers for new files' },
    { command: 'admin crypto diagnostics --wide', description: 'With types, providers and beginnings' },
    { command: 'admin crypto diagnostics --json', description: 'Everything, with constraints and compatibility' },
  ],
  run: async ({ context }) => (await context.session()).call(getCryptoDiagnostics),
  text: diagnosticsText,
});
