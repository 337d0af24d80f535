// Opening a share: signs in where it is private, asks for the password where it has one.
import { boolean, string } from '@oclif/core/flags';
import { getShareInfo, type OpenedShare, openShare, type SharedFile } from '@recordproof/shared/api/share-access.ts';
import { shareTypes } from '@recordproof/shared/api/shares.ts';
import { getPassword } from '../auth/account.ts';
import { isNamed } from '../files/find-file.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { type Caller, openCaller } from './share-argument.ts';

export const enterFlags = {
  file: string({ multiple: true, helpValue: '<name>', summary: 'Only this file: its name or record id. Repeatable.' }),
  'password-stdin': boolean({ summary: 'Read the password of the share from a pipe.' }),
};

type Entered = { readonly share: OpenedShare; readonly caller: Caller };

type Entrance = {
  readonly passwordFromStdin: boolean;
  readonly mustBeKnown?: boolean;
  /** Called with the files, where they are known, before the share is opened: that may be possible only once. */
  readonly check?: (files: readonly NamedFile[]) => Promise<void>;
};

export async function enterShare(
  context: CommandContext,
  code: string,
  { passwordFromStdin, mustBeKnown = false, check }: Entrance,
): Promise<Entered> {
  const params = { code };
  const first = await openCaller(context, mustBeKnown);
  const info = await first.client.call(getShareInfo, { params });
  const caller = info.shareType === shareTypes.PRIVATE ? await openCaller(context, true) : first;
  if (info.files.length > 0) await check?.(info.files);
  const body = info.hasPassword ? { password: await getPassword(context, passwordFromStdin) } : {};
  return { share: await caller.client.call(openShare, { params, body }), caller };
}

export type NamedFile = Pick<SharedFile, 'fileName' | 'fileHash'>;

/** All files, or the named ones; a name may match several. */
export function chooseFiles<F extends NamedFile>(files: readonly F[], names: readonly string[] | undefined): F[] {
  if (files.length === 0)
    throw new CommandError('refused', 'this share contains no files any more: ask its owner for a new one');
  if (names === undefined) return [...files];
  for (const name of names) {
    if (files.some(file => isNamed(file, name))) continue;
    throw new CommandError('refused', `there is no file "${name}" in this share`, {
      try: `one of: ${files.map(({ fileName }) => fileName).join(', ')}`,
    });
  }
  return files.filter(file => names.some(name => isNamed(file, name)));
}
