// Workload identity: `tokens exchange`, and the commands under `admin service-accounts trust`.
import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { tokenName } from '@recordproof/shared/api/api-tokens.ts';
import { externalId } from '@recordproof/shared/api/common.ts';
import {
  type ClaimPattern,
  createTrustRule,
  deleteTrustRule,
  exchangeIdentity,
  listTrustRules,
  type TrustRule,
} from '@recordproof/shared/api/workload-identity.ts';
import { findUser, userArgument } from '../accounts/commands.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';
import { printable } from '../platform/output.ts';
import { extra, name, tableOf } from '../platform/table.ts';
import { identityVariable, readIdentity } from './identity.ts';
import { limitFlags, toLimits } from './token-flags.ts';

export const exchange = command({
  summary: 'Exchange the identity token of a job for an API token of 15 minutes',
  description: `For jobs of build systems: GitHub and Forgejo give the identity token by themselves, others in ${identityVariable} or by a pipe. The API token is printed.`,
  examples: [
    {
      command: 'tokens exchange --account U1a2b3c4d5e6f7g8h9i0j1k --audience https://evidence.example.org',
      description: 'In a job: export RECORDPROOF_TOKEN="$(recordproof tokens exchange …)"',
    },
  ],
  flags: {
    account: string({ required: true, helpValue: '<external id>', summary: 'The service account.' }),
    audience: string({
      helpValue: '<text>',
      summary: 'As the trust rule has it; the address of the server if left out.',
    }),
  },
  async run({ flags, context }) {
    const account = parseField('Account', externalId, flags.account);
    const { server } = await context.settings();
    const subjectToken = await readIdentity(context, flags.audience ?? server.value);
    return (await context.anonymous()).call(exchangeIdentity, { body: { account, subjectToken } });
  },
  text: ({ token }) => token,
  note: ({ expiresIn, scopes }) => `The API token is valid for ${expiresIn / 60} minutes: ${scopes.join(', ')}.`,
});

function toClaim(text: string): ClaimPattern {
  const at = text.indexOf('=');
  if (at > 0) return { name: text.slice(0, at), pattern: text.slice(at + 1) };
  throw new CommandError('usage', `--claim ${printable(text)} is not a name, = and a pattern`, {
    try: '--claim repository=acme/app',
  });
}

const toClaims = (claims: readonly ClaimPattern[]): string =>
  claims.map(claim => `${claim.name}=${claim.pattern}`).join(' ');

const ruleTable = tableOf<TrustRule>({
  ID: rule => rule.id,
  NAME: name(rule => rule.name),
  ISSUER: name(rule => rule.issuer),
  CLAIMS: name(rule => toClaims(rule.claims)),
  SCOPES: name(rule => rule.scopes.join(' ')),
  AUDIENCE: extra(rule => rule.audience),
  FOLDER: extra(rule => rule.folder ?? '-'),
});

export const addRule = command({
  summary: 'Let jobs of a build system act as a service account',
  description:
    'A job whose identity token fits issuer, audience and every claim gets an API token of the account for 15 minutes. In a pattern "*" stands for any characters but "/".',
  examples: [
    {
      command:
        'admin service-accounts trust add builds "main branch" --issuer https://token.actions.githubusercontent.com --audience https://evidence.example.org --claim repository=acme/app --claim ref=refs/heads/main --preset upload-and-prove',
      description: 'Jobs of one branch of a repository at GitHub',
    },
  ],
  args: { ...userArgument, name: argument({ required: true, description: 'What the rule is for.' }) },
  flags: {
    issuer: string({ required: true, helpValue: '<url>', summary: 'The issuer of the identity tokens.' }),
    audience: string({ required: true, helpValue: '<text>', summary: 'The audience of the identity tokens.' }),
    claim: string({
      required: true,
      multiple: true,
      helpValue: '<name=pattern>',
      summary: 'A claim that must match; may be given several times.',
    }),
    ...limitFlags,
  },
  async run({ args, flags, context }) {
    const client = await context.session();
    const { id, externalId: account } = await findUser(client, args.user);
    const { issuer, audience, claim } = flags;
    const body = {
      ...{ name: parseField('Name', tokenName, args.name), issuer, audience, claims: claim.map(toClaim) },
      ...toLimits(flags),
    };
    return { ...(await client.call(createTrustRule, { params: { id }, body })), account };
  },
  note: ({ id, name: called, account }) =>
    `Trust rule ${id} "${printable(called)}". In the job: recordproof tokens exchange --account ${account}`,
});

export const listRules = command({
  summary: 'List the trust rules of a service account',
  examples: [{ command: 'admin service-accounts trust list builds', description: 'Issuers, claims, scopes' }],
  args: userArgument,
  async run({ args, context }) {
    const client = await context.session();
    const { id } = await findUser(client, args.user);
    return client.call(listTrustRules, { params: { id } });
  },
  text: ruleTable,
});

export const removeRule = command({
  summary: 'Delete a trust rule; the tokens that were issued under it are revoked',
  examples: [{ command: 'admin service-accounts trust remove builds 3', description: 'By the id of the rule' }],
  args: { ...userArgument, rule: argument({ required: true, description: 'The rule: its id or its name.' }) },
  async run({ args, context }) {
    const client = await context.session();
    const { id } = await findUser(client, args.user);
    const rules = await client.call(listTrustRules, { params: { id } });
    const rule = rules.find(one => one.id === args.rule || one.name === args.rule);
    if (!rule)
      throw new CommandError('refused', `user ${printable(args.user)} has no trust rule "${printable(args.rule)}"`, {
        try: `recordproof admin service-accounts trust list ${printable(args.user)}`,
      });
    await client.call(deleteTrustRule, { params: { id, ruleId: rule.id } });
    return rule;
  },
  note: ({ id, name: called }) => `Trust rule ${id} "${printable(called)}" is deleted.`,
});
