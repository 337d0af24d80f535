// Opens a share that somebody named: logs in where it is private, asks for the password where it has one.
import { boolean, string } from '@oclif/core/flags';
import {
  getShareInfo,
  type OpenedShare,
  openShare,
  type SharedFile,
  shareTypes,
} from '@recordproof/shared/api/shares.ts';
import { getPassword } from '../account.ts';
import { Fixable } from '../fixable.ts';
import type { Program } from '../program.ts';
import { type Caller, openCaller } from './share-argument.ts';

export const enterFlags = {
  file: string({ multiple: true, helpValue: '<name>', summary: 'Only this file: its name, or its hash. Repeatable.' }),
  'password-stdin': boolean({ summary: 'Read the password of the share from a pipe.' }),
};

export type Entered = { readonly share: OpenedShare; readonly caller: Caller };

export async function enterShare(
  program: Program,
  code: string,
  { passwordFromStdin, mustBeKnown = false }: { passwordFromStdin: boolean; mustBeKnown?: boolean },
): Promise<Entered> {
  const params = { code };
  const first = await openCaller(program, mustBeKnown);
  const info = await first.client.call(getShareInfo, { params });
  const caller = info.shareType === shareTypes.PRIVATE ? await openCaller(program, true) : first;
  const body = info.hasPassword ? { password: await getPassword(program, passwordFromStdin) } : {};
  return { share: await caller.client.call(openShare, { params, body }), caller };
}

/** All files, or those that are named; a name may mean several. */
export function chooseFiles(files: readonly SharedFile[], names: readonly string[] | undefined): SharedFile[] {
  if (files.length === 0) throw new Fixable('refused', 'nothing is left in this share');
  if (names === undefined) return [...files];
  for (const name of names) {
    if (files.some(file => isNamed(file, name))) continue;
    throw new Fixable('refused', `there is no file "${name}" in this share`, {
      try: `one of: ${files.map(({ fileName }) => fileName).join(', ')}`,
    });
  }
  return files.filter(file => names.some(name => isNamed(file, name)));
}

const isNamed = ({ fileName, fileHash }: SharedFile, name: string): boolean => fileName === name || fileHash === name;
