import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { textInLines } from '@recordproof/shared/api/common.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import { maxMessage, sendMessage } from '@recordproof/shared/api/messages.ts';
import { command } from '../../command.ts';
import { parseFileHash } from '../../file-table.ts';
import { Fixable } from '../../fixable.ts';
import { friendArgument } from '../../people/arguments.ts';
import { findFriend } from '../../people/who.ts';
import type { Program } from '../../program.ts';
import { getText } from '../../written-text.ts';

type Content = Pick<BodyInput<typeof sendMessage>, 'content' | 'contentType'>;

const textField = {
  name: 'Message',
  flag: 'the text, or - for a pipe',
  schema: textInLines(maxMessage),
  maxLetters: maxMessage,
};

async function getContent(program: Program, text: string | undefined, file: string | undefined): Promise<Content> {
  if (file === undefined) return { contentType: 'text', content: await getText(program, text, textField) };
  if (text === undefined) return { contentType: 'file', content: parseFileHash(file) };
  throw new Fixable('usage', 'say either a text or --file', { try: 'recordproof messages send bob "hello"' });
}

export default command({
  summary: 'Write to a friend',
  examples: [
    { command: 'messages send bob "see you at noon"', description: 'One line' },
    { command: 'messages send bob - < letter.txt', description: 'What comes through the pipe' },
    { command: 'messages send bob --file <fileHash>', description: 'Names a file of yours, without sharing it' },
  ],
  args: { ...friendArgument, text: argument({ description: 'At most 4,000 letters; - reads them from a pipe.' }) },
  flags: { file: string({ helpValue: '<fileHash>', summary: 'Name a file of yours instead.' }) },
  async run({ flags, args, program }) {
    const content = await getContent(program, args.text, flags.file);
    const client = await program.session();
    const { externalId: receiverId } = await findFriend(client, args.friend);
    return client.call(sendMessage, { body: { receiverId, ...content } });
  },
  note: ({ id, conversationId }) => `message ${id} was sent, in conversation ${conversationId}`,
});
