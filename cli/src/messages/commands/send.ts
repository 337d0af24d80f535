import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { textInLines } from '@recordproof/shared/api/common.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import { maxMessage, sendMessage } from '@recordproof/shared/api/messages.ts';
import { findFileHash } from '../../files/find-file.ts';
import { findFriend } from '../../friends/find-people.ts';
import { friendArgument } from '../../friends/people-arguments.ts';
import { command } from '../../platform/command.ts';
import type { CommandContext } from '../../platform/command-context.ts';
import { Fixable } from '../../platform/fixable.ts';
import { getText, textFlag } from '../../platform/written-text.ts';

type Content = Pick<BodyInput<typeof sendMessage>, 'content' | 'contentType'>;

const textField = {
  name: 'Message',
  flag: 'the text, or - for a pipe',
  schema: textInLines(maxMessage),
  maxLetters: maxMessage,
};

async function getContent(
  context: CommandContext,
  text: string | undefined,
  file: string | undefined,
): Promise<Content> {
  if (file === undefined) return { contentType: 'text', content: await getText(context, text, textField) };
  if (text === undefined) return { contentType: 'file', content: await findFileHash(await context.session(), file) };
  throw new Fixable('usage', 'say either a text or --file', { try: 'recordproof messages send bob "hello"' });
}

export default command({
  summary: 'Write to a friend',
  examples: [
    { command: 'messages send bob "see you at noon"', description: 'One line' },
    { command: 'messages send bob - < letter.txt', description: 'What comes through the pipe' },
    { command: 'messages send bob --file plan.pdf', description: 'Names a file of yours, without sharing it' },
  ],
  args: { ...friendArgument, text: argument({ description: 'At most 4,000 letters; - reads them from a pipe.' }) },
  flags: {
    text: textFlag('The same as the text behind the name.'),
    file: string({ helpValue: '<file>', summary: 'Name a file of yours instead.' }),
  },
  async run({ flags, args, context }) {
    const content = await getContent(context, args.text ?? flags.text, flags.file);
    const client = await context.session();
    const { externalId: receiverId } = await findFriend(client, args.friend);
    return client.call(sendMessage, { body: { receiverId, ...content } });
  },
  note: ({ id, conversationId }) => `message ${id} was sent, in conversation ${conversationId}`,
});
