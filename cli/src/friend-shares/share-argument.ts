// The arguments that name a friend share and its files.
import { string } from '@oclif/core/args';
import { recordId } from '@recordproof/shared/api/common.ts';
import type { FriendShareDetails } from '@recordproof/shared/api/friend-shares.ts';
import type { SharedFile } from '@recordproof/shared/api/share-access.ts';
import { isNamed } from '../files/find-file.ts';
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';

export const friendShareArgument = {
  share: string({ required: true, description: 'Id of the share, as `friend-shares list` shows it.' }),
};

export const parseFriendShare = (text: string): string => parseField('Share', recordId, text);

/** All files of the share, or those that are named. */
export function chooseFiles({ id, files }: FriendShareDetails, names: readonly string[]): SharedFile[] {
  const missing = names.find(name => !files.some(file => isNamed(file, name)));
  if (missing !== undefined)
    throw new CommandError('refused', `share ${id} has no file ${missing}`, {
      try: `recordproof friend-shares show ${id}`,
    });
  if (files.length === 0) throw new CommandError('refused', `the files of share ${id} were all deleted`);
  return files.filter(file => names.length === 0 || names.some(name => isNamed(file, name)));
}
