import { string } from '@oclif/core/args';

export const friendArgument = {
  friend: string({ required: true, description: 'User name or id of a friend.' }),
};

export const requestArgument = {
  request: string({ required: true, description: 'User name of the other one, or id of the request.' }),
};

export const conversationArgument = {
  conversation: string({ required: true, description: 'User name of the other one, or id of the conversation.' }),
};
