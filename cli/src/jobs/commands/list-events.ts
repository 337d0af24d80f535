import { events, listCommand } from '../dead-job-commands.ts';

export default listCommand(events);
