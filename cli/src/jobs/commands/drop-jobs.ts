import { dropCommand, jobs } from '../dead-job-commands.ts';

export default dropCommand(jobs);
