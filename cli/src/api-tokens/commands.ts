// Commands under `tokens`.
import { string as argument } from '@oclif/core/args';
import { createApiToken, listApiTokens, revokeApiToken } from '@recordproof/shared/api/api-tokens.ts';
import { command } from '../platform/command.ts';
import { variables } from '../platform/settings.ts';
import {
  createdNote,
  nameArgument,
  pickToken,
  revokedNote,
  tokenFlags,
  tokenTable,
  tokenText,
  toNewToken,
} from './token-flags.ts';

const tokenArgument = { token: argument({ required: true, description: 'The token: its id or its name.' }) };

export const create = command({
  summary: 'Create an API token of your account',
  description: `The token is printed, this once. Programs read it from the environment variable ${variables.token}. It may do what its scopes and your role both allow; it creates no tokens and changes no credentials.`,
  examples: [
    {
      command: 'tokens create "build server" --preset upload-and-prove --folder builds',
      description: 'Limited to the folder builds',
    },
    {
      command: 'tokens create audit --scope file:read --expires 7d --address 10.0.0.0/8',
      description: 'A week, from one network',
    },
  ],
  args: { name: nameArgument },
  flags: tokenFlags,
  run: async ({ args, flags, context }) =>
    (await context.session()).call(createApiToken, { body: toNewToken(args.name, flags) }),
  text: ({ token }) => token,
  note: createdNote,
});

export const list = command({
  summary: 'List the API tokens of your account, the newest first',
  description: 'Expired and revoked ones are listed for 30 days.',
  examples: [{ command: 'tokens list --wide', description: 'With folders and addresses' }],
  run: async ({ context }) => (await context.session()).call(listApiTokens),
  text: tokenTable,
});

export const show = command({
  summary: 'Show an API token',
  examples: [{ command: 'tokens show "build server"', description: 'Scopes, limits, last use' }],
  args: tokenArgument,
  run: async ({ args, context }) => pickToken(await (await context.session()).call(listApiTokens), args.token),
  text: tokenText,
});

export const revoke = command({
  summary: 'Revoke an API token: no server accepts it any more',
  examples: [{ command: 'tokens revoke "build server"', description: 'Its event streams end as well' }],
  args: tokenArgument,
  async run({ args, context }) {
    const client = await context.session();
    const { id } = pickToken(await client.call(listApiTokens), args.token);
    return client.call(revokeApiToken, { params: { id } });
  },
  note: revokedNote,
});
