import { dropCommand, events } from '../dead-job-commands.ts';

export default dropCommand(events);
