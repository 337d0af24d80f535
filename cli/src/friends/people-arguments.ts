import { string } from '@oclif/core/args';
import { recordId } from '@recordproof/shared/api/common.ts';
import { completedBy } from '../platform/completable.ts';
import { parseField } from '../platform/fields.ts';

export const friendArgument = {
  friend: string({ required: true, description: 'User name or id of a friend.', ...completedBy('friends') }),
};

export const requestArgument = {
  request: string({ required: true, description: 'User name of the other one, or id of the request.' }),
};

export const conversationArgument = {
  conversation: string({ required: true, description: 'User name of the other one, or id of the conversation.' }),
};

export const friendShareArgument = {
  share: string({ required: true, description: 'Id of the share, as `friend-shares list` shows it.' }),
};

export const parseFriendShare = (text: string): string => parseField('Share', recordId, text);
