import { events, showCommand } from '../dead-job-commands.ts';

export default showCommand(events);
