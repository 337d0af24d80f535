import { countUnreadShares } from '@recordproof/shared/api/friend-shares.ts';
import { command } from '../../platform/command.ts';

export default command({
  summary: 'How many shares of friends you have not read',
  examples: [{ command: 'friend-shares unread', description: 'A number' }],
  run: async ({ context }) => (await context.session()).call(countUnreadShares),
  text: ({ count }) => String(count),
});
