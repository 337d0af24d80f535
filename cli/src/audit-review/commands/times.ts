import { getTimeDistribution } from '@recordproof/shared/api/audit-review.ts';
import { command } from '../../platform/command.ts';
import { spanFlags, toSpan, toUserId, userFlag } from '../flags.ts';
import { hoursText } from '../tables.ts';

export default command({
  summary: 'Show at which hours of the week things are done, within the last thirty days',
  examples: [
    { command: 'admin audit times', description: 'By everybody' },
    { command: 'admin audit times --user 7', description: 'By one account' },
  ],
  flags: { ...spanFlags, user: userFlag },
  run: async ({ flags, context }) =>
    (await context.session()).call(getTimeDistribution, { query: { ...toSpan(flags), ...toUserId(flags.user) } }),
  text: hoursText,
  note: hours => (hours.length === 0 ? 'nothing was done' : ''),
});
