import { countUnreadMessages } from '@recordproof/shared/api/messages.ts';
import { command } from '../../platform/command.ts';

export default command({
  summary: 'How many messages you have not read',
  examples: [{ command: 'messages unread', description: 'A number, over all conversations' }],
  run: async ({ context }) => (await context.session()).call(countUnreadMessages),
  text: ({ count }) => String(count),
});
