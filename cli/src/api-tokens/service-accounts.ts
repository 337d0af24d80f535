// Commands under `admin service-accounts`.
import { string as argument } from '@oclif/core/args';
import { option } from '@oclif/core/flags';
import { type Account, createServiceAccount, listUsers } from '@recordproof/shared/api/accounts.ts';
import { createServiceToken, listTokensOfUser, revokeTokenOfUser } from '@recordproof/shared/api/api-tokens.ts';
import { roles, username } from '@recordproof/shared/api/auth.ts';
import { findUser, userArgument } from '../accounts/commands.ts';
import { command } from '../platform/command.ts';
import { parseField } from '../platform/fields.ts';
import { printable, toMinute } from '../platform/output.ts';
import { pagesOf } from '../platform/pages.ts';
import { extra, name, tableOf } from '../platform/table.ts';
import {
  createdNote,
  nameArgument,
  pickToken,
  revokedNote,
  tokenFlags,
  tokenTable,
  toNewToken,
} from './token-flags.ts';

const accountPages = pagesOf('service account', 'service accounts', ['registerTime', 'username']);

const accountTable = tableOf<Account>({
  ACCOUNT: name(account => account.username),
  ROLE: account => account.role,
  STATUS: account => account.status.toLowerCase(),
  SINCE: account => toMinute(account.registerTime),
  'EXTERNAL ID': extra(account => account.externalId),
});

export const create = command({
  summary: 'Create a service account: programs use it with API tokens',
  description:
    'It has no sign-in. It has files and a quota of its own. Suspend, activate and delete it like an account of a person: admin users suspend, activate, delete.',
  examples: [{ command: 'admin service-accounts create builds', description: 'Then create a token for it' }],
  args: { account: argument({ required: true, description: 'The name of the account.' }) },
  flags: { role: option({ options: roles, default: 'user', summary: 'Role of the account.' })() },
  async run({ args, flags, context }) {
    const body = { username: parseField('Account', username, args.account), role: flags.role };
    return (await context.session()).call(createServiceAccount, { body });
  },
  note: account =>
    `Service account ${printable(account.username)} has the role ${account.role}. Next: admin service-accounts tokens create ${printable(account.username)} NAME --preset upload-and-prove`,
});

export const list = command({
  summary: 'List the service accounts of the tenant, the newest first',
  examples: [{ command: 'admin service-accounts list', description: 'Roles and states' }],
  flags: accountPages.flags,
  async run({ flags, context }) {
    const query = { ...accountPages.toQuery(flags), kind: 'service' as const };
    return (await context.session()).call(listUsers, { query });
  },
  text: accountTable,
  note: accountPages.note,
});

export const createToken = command({
  summary: 'Create an API token of a service account',
  description: 'The token is printed, this once.',
  examples: [
    {
      command: 'admin service-accounts tokens create builds "build server" --preset upload-and-prove',
      description: 'For 30 days',
    },
  ],
  args: { ...userArgument, name: nameArgument },
  flags: tokenFlags,
  async run({ args, flags, context }) {
    const body = toNewToken(args.name, flags);
    const client = await context.session();
    const { id } = await findUser(client, args.user);
    return client.call(createServiceToken, { params: { id }, body });
  },
  text: ({ token }) => token,
  note: createdNote,
});

export const listTokens = command({
  summary: 'List the API tokens of an account',
  examples: [{ command: 'admin service-accounts tokens list builds', description: 'Also of an account of a person' }],
  args: userArgument,
  async run({ args, context }) {
    const client = await context.session();
    const { id } = await findUser(client, args.user);
    return client.call(listTokensOfUser, { params: { id } });
  },
  text: tokenTable,
});

export const revokeToken = command({
  summary: 'Revoke an API token of an account',
  examples: [
    {
      command: 'admin service-accounts tokens revoke builds "build server"',
      description: 'Also of an account of a person',
    },
  ],
  args: { ...userArgument, token: argument({ required: true, description: 'The token: its id or its name.' }) },
  async run({ args, context }) {
    const client = await context.session();
    const { id } = await findUser(client, args.user);
    const token = pickToken(await client.call(listTokensOfUser, { params: { id } }), args.token);
    return client.call(revokeTokenOfUser, { params: { id, tokenId: token.id } });
  },
  note: revokedNote,
});
