// Flags of the commands that create API tokens, and the output for a new token.
import type { Interfaces } from '@oclif/core';
import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import {
  type ApiToken,
  type createApiToken,
  defaultTokenDays,
  type TokenPreset,
  tokenName,
  tokenPresets,
} from '@recordproof/shared/api/api-tokens.ts';
import { type AnswerOf, type BodyInput, tokenPermissions } from '@recordproof/shared/api/endpoint.ts';
import { folderPath } from '@recordproof/shared/api/files.ts';
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';
import { printable, toMinute } from '../platform/output.ts';
import { alignRows, extra, name, tableOf } from '../platform/table.ts';

const presets = Object.keys(tokenPresets) as TokenPreset[];

/** Limits of a token besides its expiry; also of tokens that programs get for their identity. */
export const limitFlags = {
  preset: option({
    options: presets,
    summary: `A set of scopes: ${presets.map(preset => `${preset} (${tokenPresets[preset].join(', ')})`).join('; ')}.`,
  })(),
  scope: option({ options: tokenPermissions, multiple: true, summary: 'A scope; may be given several times.' })(),
  folder: string({ helpValue: '<path>', summary: 'Limits it to this folder and those below it.' }),
  address: string({
    helpValue: '<network>',
    multiple: true,
    summary: 'An address or a network it may be used from, as 10.0.0.0/8; may be given several times.',
  }),
};

export const tokenFlags = {
  ...limitFlags,
  expires: string({ helpValue: '<days>', default: `${defaultTokenDays}d`, summary: 'When it expires: 7d, 90d.' }),
};

export const nameArgument = argument({ required: true, description: 'What the token is for.' });

type LimitValues = Interfaces.InferredFlags<typeof limitFlags>;
type NewToken = BodyInput<typeof createApiToken>;

export function toLimits({ preset, scope = [], folder, address = [] }: LimitValues) {
  const scopes = [...new Set([...(preset === undefined ? [] : tokenPresets[preset]), ...scope])];
  if (scopes.length === 0)
    throw new CommandError('usage', 'a token needs scopes', { try: '--preset upload-and-prove, or --scope file:read' });
  return {
    scopes,
    addresses: [...address],
    ...(folder !== undefined && { folder: parseField('Folder', folderPath, folder) }),
  };
}

function toDays(text: string): number {
  const [, days] = /^([1-9][0-9]{0,3})d$/.exec(text) ?? [];
  if (days !== undefined) return Number(days);
  throw new CommandError('usage', `--expires ${text} is not a number of days, from 1d to 9999d`, {
    try: '--expires 30d',
  });
}

export const toNewToken = (called: string, flags: Interfaces.InferredFlags<typeof tokenFlags>): NewToken => ({
  name: parseField('Name', tokenName, called),
  expiresInDays: toDays(flags.expires),
  ...toLimits(flags),
});

export const tokenTable = tableOf<ApiToken>({
  ID: token => token.id,
  NAME: name(token => token.name),
  STATE: token => token.state.toLowerCase(),
  EXPIRES: token => toMinute(token.expiresAt),
  'LAST USED': token => (token.lastUsedAt === null ? 'never' : toMinute(token.lastUsedAt)),
  SCOPES: name(token => token.scopes.join(' ')),
  FOLDER: extra(token => token.folder ?? '-'),
  ADDRESSES: extra(token => token.addresses.join(' ') || '-'),
  BEGINS: extra(token => token.hint),
});

export const tokenText = (token: ApiToken): string =>
  alignRows([
    ['name', token.name],
    ['id', token.id],
    ['state', token.state.toLowerCase()],
    ['begins with', token.hint],
    ['scopes', token.scopes.join(', ')],
    ['folder', token.folder ?? 'all'],
    ['addresses', token.addresses.join(', ') || 'all'],
    ['created', `${toMinute(token.createdAt)} UTC by ${token.createdBy}`],
    ['expires', `${toMinute(token.expiresAt)} UTC`],
    ['last used', token.lastUsedAt === null ? 'never' : `${toMinute(token.lastUsedAt)} UTC from ${token.lastUsedFrom}`],
  ]);

export const createdNote = ({ apiToken }: AnswerOf<typeof createApiToken>): string =>
  `API token ${apiToken.id} "${printable(apiToken.name)}" is valid until ${toMinute(apiToken.expiresAt)} UTC. It is not shown again.`;

export const revokedNote = ({ id, name: called }: ApiToken): string =>
  `API token ${id} "${printable(called)}" is revoked.`;

/** By id, or by a name that one live token has. */
export function pickToken(tokens: readonly ApiToken[], idOrName: string): ApiToken {
  const byId = tokens.find(({ id }) => id === idOrName);
  if (byId) return byId;
  const named = tokens.filter(token => token.name === idOrName);
  const live = named.filter(({ state }) => state === 'ACTIVE');
  const [found, ...more] = live.length > 0 ? live : named;
  if (found === undefined)
    throw new CommandError('refused', `there is no API token "${printable(idOrName)}"`, { try: 'list the tokens' });
  if (more.length > 0)
    throw new CommandError('usage', `several API tokens are called "${printable(idOrName)}"`, { try: 'give the id' });
  return found;
}
