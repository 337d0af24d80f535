import { events, reviveCommand } from '../dead-job-commands.ts';

export default reviveCommand(events);
