// The argument that names a share: its code, or its link. A link names its server too; a token of another server is never
// sent there.
import { string as argument } from '@oclif/core/args';
import type { Client } from '@recordproof/shared/api/client.ts';
import { sharePagePrefix } from '@recordproof/shared/api/share-pages.ts';
import { shareCodePattern } from '@recordproof/shared/api/shares.ts';
import { completedBy } from '../platform/arguments.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { findSession } from '../platform/credentials-file.ts';

export const shareArgument = argument({
  required: true,
  description: 'Code or link of the share.',
  ...completedBy('shares'),
});

/** Also a share of another user, so a shell completes nothing. */
export const shareCodeArgument = { share: argument({ required: true, description: 'Code or link of the share.' }) };

type NamedShare = { readonly code: string; readonly server: string | undefined };

export function parseShare(text: string): NamedShare {
  const [, server, code = text] = /^(https?:\/\/[^?#]+?)\/s\/([^/?#]*)\/?$/i.exec(text.trim()) ?? [];
  if (shareCodePattern.test(code)) return { code, server };
  throw new CommandError('usage', 'the argument is neither a link of a share nor its code of 12 letters and digits', {
    try: 'copy the whole link, or its last part',
  });
}

export const toLink = async (context: CommandContext, code: string): Promise<string> =>
  `${(await context.settings()).server.value.replace(/\/+$/, '')}${sharePagePrefix}${code}`;

/** The command context for the server of the link. */
export async function openAt(context: CommandContext, { server }: NamedShare): Promise<CommandContext> {
  const current = (await context.settings()).server.value;
  return server === undefined || new URL(server).href === new URL(current).href ? context : context.at(server);
}

export type Caller = {
  readonly client: Client;
  readonly token: () => Promise<string | undefined>;
  readonly account: string;
};

const noToken = async (): Promise<undefined> => undefined;

/** The account signed in there, else an anonymous caller. `mustBeKnown`: an anonymous caller is an error. */
export async function openCaller(context: CommandContext, mustBeKnown: boolean): Promise<Caller> {
  const saved = context.environmentToken ? undefined : await findSession(context.paths, await context.sessionKey());
  const isLoggedIn = context.environmentToken !== undefined || Date.parse(saved?.expiresAt ?? '') > Date.now();
  if (!isLoggedIn && !mustBeKnown) return { client: await context.anonymous(), token: noToken, account: '' };
  const client = await context.session();
  return { client, token: client.token, account: saved?.username ?? '' };
}
