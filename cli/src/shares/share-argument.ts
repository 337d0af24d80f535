// How a share is named on the command line: by its code, or by the link that people send around. A link names its server
// too; no token that was meant for another one ever goes there.
import { string as argument } from '@oclif/core/args';
import type { Client } from '@recordproof/shared/api/client.ts';
import { sharePagePrefix } from '@recordproof/shared/api/share-pages.ts';
import { shareCodePattern } from '@recordproof/shared/api/shares.ts';
import { findSession } from '../credentials-file.ts';
import { Fixable } from '../fixable.ts';
import type { Program } from '../program.ts';

export const shareArgument = argument({ required: true, description: 'Code or link of the share.' });

export type NamedShare = { readonly code: string; readonly server: string | undefined };

export function parseShare(text: string): NamedShare {
  const [, server, code = text] = /^(https?:\/\/[^?#]+?)\/s\/([^/?#]*)\/?$/i.exec(text.trim()) ?? [];
  if (shareCodePattern.test(code)) return { code, server };
  throw new Fixable('usage', 'that is no share: a code has twelve letters and digits', {
    try: 'copy the whole link, or its last part',
  });
}

export const toLink = async (program: Program, code: string): Promise<string> =>
  `${(await program.settings()).server.value.replace(/\/+$/, '')}${sharePagePrefix}${code}`;

/** The program at the server that the link names. */
export async function openAt(program: Program, { server }: NamedShare): Promise<Program> {
  const known = (await program.settings()).server.value;
  return server === undefined || new URL(server).href === new URL(known).href ? program : program.at(server);
}

export type Caller = {
  readonly client: Client;
  readonly token: () => Promise<string | undefined>;
  readonly account: string;
};

const nobody = async (): Promise<undefined> => undefined;

/** Whoever is logged in there, else nobody in particular. `mustBeKnown` where nobody may not. */
export async function openCaller(program: Program, mustBeKnown: boolean): Promise<Caller> {
  const saved = program.environmentToken ? undefined : await findSession(program.paths, await program.sessionKey());
  const isLoggedIn = program.environmentToken !== undefined || Date.parse(saved?.expiresAt ?? '') > Date.now();
  if (!isLoggedIn && !mustBeKnown) return { client: await program.anonymous(), token: nobody, account: '' };
  const client = await program.session();
  return { client, token: client.token, account: saved?.username ?? '' };
}
